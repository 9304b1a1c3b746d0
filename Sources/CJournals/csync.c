#define _GNU_SOURCE
#include "csync.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct csync {
    pthread_t thread;
    int descriptor;
    int whole;
    long long bytes, piece; /* of a cut; no piece: it is a sync */
    int is_done;
    int code;
};

static int cut(int descriptor, long long bytes, long long piece) {
    int result = 0;
    while (result == 0 && bytes > 0) {
        bytes = bytes > piece ? bytes - piece : 0;
        result = ftruncate(descriptor, bytes);
    }
    return result;
}

static void *run(void *of) {
    csync *sync = of;
    int result = sync->piece > 0 ? cut(sync->descriptor, sync->bytes, sync->piece)
                 : sync->whole ? fsync(sync->descriptor)
                               : fdatasync(sync->descriptor);
    sync->code = result == 0 ? 0 : errno;
    __atomic_store_n(&sync->is_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static csync *begin(csync what) {
    csync *sync = malloc(sizeof *sync);
    if (!sync) return NULL;
    *sync = what;
    /* Signals are for the thread that waits for them. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&sync->thread, NULL, run, sync);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0) return sync;
    free(sync);
    return NULL;
}

csync *csync_begin(int descriptor, int whole) {
    return begin((csync){.descriptor = descriptor, .whole = whole});
}

csync *csync_begin_cutting(int descriptor, long long bytes, long long piece) {
    return begin((csync){.descriptor = descriptor, .bytes = bytes, .piece = piece});
}

int csync_is_done(const csync *sync) {
    return __atomic_load_n(&sync->is_done, __ATOMIC_ACQUIRE);
}

int csync_end(csync *sync) {
    pthread_join(sync->thread, NULL);
    int code = sync->code;
    free(sync);
    return code;
}

void csync_start_writing(int descriptor, long long offset, long long bytes) {
    /* Only a hint: what fails here fails at the sync, too. */
    sync_file_range(descriptor, offset, bytes, SYNC_FILE_RANGE_WRITE);
}

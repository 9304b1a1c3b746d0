/* A slow disk: each sync takes 0.5 ms more. Loaded into servers by LD_PRELOAD (`bench --media slow`). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slow(const char *name, int file) {
    struct timespec pause = {0, 500 * 1000};
    nanosleep(&pause, 0);
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return sync(file);
}

int fsync(int file) { return slow("fsync", file); }
int fdatasync(int file) { return slow("fdatasync", file); }

/* Loaded by LD_PRELOAD between the real daemon and the disk: fails one call, and records all.

   Only files below FAULTS_DIRECTORY count. The calls that change them are numbered from 1:
   write, pwrite, pwritev, fsync, fdatasync, ftruncate, unlink, rename.

     FAULTS_AT     the number of the call that fails; without it none fails
     FAULTS_ERRNO  the error: 5 (EIO, the default) or 28 (ENOSPC); 0: the call is not carried out
                   but reports success, which no program survives, and the tests must notice
     FAULTS_ONLY   count only calls on files whose path ends so
     FAULTS_FULL   the disk is full from call FAULTS_AT on, while there is a file at this path: whatever
                   makes a file, or makes one longer, fails, and nothing is free
     FAULTS_SYNC_US each sync takes so many microseconds longer
     FAULTS_LOG    append a record of each call that succeeded (faults.py reads them)

   A write that fails has written the first half of its bytes, as a real one may. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum op { WRITE = 1, SYNC = 2, TRUNCATE = 3, CREATE = 4, UNLINK = 5, RENAME = 6 };

struct record {
    uint32_t op;
    uint32_t path_bytes;
    uint64_t offset; /* of a write; the new size of a truncate; bytes of a rename's first path */
    uint64_t bytes;  /* of data, which follow the path */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *directory, *only, *full;
static long fail_at, calls, sync_us;
static int fail_with = EIO, log_descriptor = -1;

__attribute__((constructor)) static void begin(void) {
    directory = getenv("FAULTS_DIRECTORY");
    only = getenv("FAULTS_ONLY");
    full = getenv("FAULTS_FULL");
    const char *at = getenv("FAULTS_AT"), *code = getenv("FAULTS_ERRNO");
    const char *log = getenv("FAULTS_LOG"), *slow = getenv("FAULTS_SYNC_US");
    if (slow) sync_us = atol(slow);
    if (at) fail_at = atol(at);
    if (code) fail_with = atoi(code);
    if (log) log_descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_ours(const char *path) {
    if (!directory) return 0;
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* The path of an open file, if it is one of ours. */
static int path_of(int descriptor, char *path) {
    if (!directory) return 0;
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, PATH_MAX - 1);
    if (count <= 0) return 0;
    path[count] = 0;
    return is_ours(path);
}

static int is_full(void) {
    return full && calls >= fail_at && syscall(SYS_access, full, F_OK) == 0;
}

/* Whether this call is the one that fails, or needs room that is not there. */
static int fails(const char *path, int needs_room) {
    if (only) {
        size_t have = strlen(path), want = strlen(only);
        if (have < want || strcmp(path + have - want, only) != 0) return 0;
    }
    pthread_mutex_lock(&lock);
    long number = ++calls;
    pthread_mutex_unlock(&lock);
    return full ? needs_room && is_full() : number == fail_at;
}

/* Whether the file needs another block of 4 KiB. */
static int is_longer(int descriptor, off_t size) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)
        && size > ((status.st_size + 4095) & ~(off_t)4095);
}

/* What the call that fails returns, where `success` would mean that it succeeded. */
static ssize_t failed(ssize_t success) {
    if (fail_with == 0) return success;
    errno = fail_with;
    return -1;
}

static void note(enum op op, const char *path, uint64_t offset, const void *data, uint64_t bytes) {
    if (log_descriptor < 0) return;
    int saved = errno;
    struct record record = {op, (uint32_t)strlen(path), offset, bytes};
    struct iovec parts[] = {
        {&record, sizeof record}, {(void *)path, record.path_bytes}, {(void *)data, bytes}};
    pthread_mutex_lock(&lock);
    /* Directly: our own writes are not to be seen by ourselves. */
    long written = syscall(SYS_writev, log_descriptor, parts, 3);
    pthread_mutex_unlock(&lock);
    if (written != (long)(sizeof record + record.path_bytes + bytes)) abort();
    errno = saved;
}

static ssize_t put(int descriptor, const void *data, size_t bytes, off_t offset) {
    if (offset < 0) return syscall(SYS_write, descriptor, data, bytes);
    return syscall(SYS_pwrite64, descriptor, data, bytes, offset);
}

/* Both kinds of write; `offset` is -1 for one at the file's own place. */
static ssize_t do_write(int descriptor, const void *data, size_t bytes, off_t offset) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return put(descriptor, data, bytes, offset);
    off_t at = offset < 0 ? lseek(descriptor, 0, SEEK_CUR) : offset;
    if (fails(path, is_longer(descriptor, at + (off_t)bytes))) {
        if (!full) put(descriptor, data, bytes / 2, offset);
        return failed((ssize_t)bytes);
    }
    ssize_t count = put(descriptor, data, bytes, offset);
    if (count > 0) note(WRITE, path, (uint64_t)at, data, (uint64_t)count);
    return count;
}

ssize_t write(int descriptor, const void *data, size_t bytes) {
    return do_write(descriptor, data, bytes, -1);
}
ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t offset) {
    return do_write(descriptor, data, bytes, offset);
}
ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off_t offset) {
    return do_write(descriptor, data, bytes, offset);
}

/* As one write of all pieces: what a disk makes of them is cut anywhere, whatever the pieces were. */
ssize_t pwritev(int descriptor, const struct iovec *pieces, int number, off_t offset) {
    size_t bytes = 0, at = 0;
    for (int i = 0; i < number; i++) bytes += pieces[i].iov_len;
    char *all = malloc(bytes ? bytes : 1);
    if (!all) abort();
    for (int i = 0; i < number; i++) {
        memcpy(all + at, pieces[i].iov_base, pieces[i].iov_len);
        at += pieces[i].iov_len;
    }
    ssize_t count = do_write(descriptor, all, bytes, offset);
    int saved = errno;
    free(all);
    errno = saved;
    return count;
}
ssize_t pwritev64(int descriptor, const struct iovec *pieces, int number, off_t offset) {
    return pwritev(descriptor, pieces, number, offset);
}

static int do_sync(int descriptor, long call) {
    char path[PATH_MAX];
    int ours = path_of(descriptor, path);
    if (ours && fails(path, 0)) {
        return (int)failed(0);
    }
    if (ours && sync_us > 0) usleep((useconds_t)sync_us);
    int result = (int)syscall(call, descriptor);
    if (ours && result == 0) note(SYNC, path, 0, NULL, 0);
    return result;
}

int fsync(int descriptor) { return do_sync(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return do_sync(descriptor, SYS_fdatasync); }

int ftruncate(int descriptor, off_t size) {
    char path[PATH_MAX];
    int ours = path_of(descriptor, path);
    if (ours && fails(path, is_longer(descriptor, size))) {
        return (int)failed(0);
    }
    int result = (int)syscall(SYS_ftruncate, descriptor, size);
    struct stat status;
    int is_named = fstat(descriptor, &status) != 0 || status.st_nlink > 0;
    /* What has no name any more is nothing to whoever looks after a cut. */
    if (ours && result == 0 && is_named) note(TRUNCATE, path, (uint64_t)size, NULL, 0);
    return result;
}
int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

/* What makes files is written down, and fails only where the disk is full. */

static int do_open(const char *path, int flags, mode_t mode) {
    struct stat status;
    int is_new = (flags & O_CREAT) && is_ours(path) && lstat(path, &status) != 0;
    if (is_new && is_full()) return (int)failed(0);
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (descriptor >= 0 && is_new) note(CREATE, path, 0, NULL, 0);
    return descriptor;
}

#define OPEN(name)                                   \
    int name(const char *path, int flags, ...) {     \
        va_list rest;                                \
        va_start(rest, flags);                       \
        mode_t mode = va_arg(rest, mode_t);          \
        va_end(rest);                                \
        return do_open(path, flags, mode);           \
    }
OPEN(open)
OPEN(open64)

int unlink(const char *path) {
    if (is_ours(path) && fails(path, 0)) return (int)failed(0);
    int result = (int)syscall(SYS_unlink, path);
    if (result == 0 && is_ours(path)) note(UNLINK, path, 0, NULL, 0);
    return result;
}

int rename(const char *from, const char *to) {
    if (is_ours(from) && fails(from, 0)) return (int)failed(0);
    int result = (int)syscall(SYS_rename, from, to);
    if (result == 0 && is_ours(from)) {
        char both[2 * PATH_MAX];
        snprintf(both, sizeof both, "%s%s", from, to);
        note(RENAME, both, strlen(from), NULL, 0);
    }
    return result;
}

#undef statvfs
#undef statvfs64
static int look(const char *path, struct statvfs *status) {
    int (*real)(const char *, struct statvfs *) = dlsym(RTLD_NEXT, "statvfs");
    int result = real(path, status);
    if (result == 0 && is_ours(path) && is_full()) status->f_bavail = status->f_bfree = 0;
    return result;
}
int statvfs(const char *path, struct statvfs *status) { return look(path, status); }
int statvfs64(const char *path, struct statvfs64 *status) {
    return look(path, (struct statvfs *)status);
}

// Lets a machine have slept, for one process: cc -shared -fPIC. Clocks that go on meanwhile are later, the others are not.
// ASLEEP names a file of eight bytes: the seconds that it has slept, read at each call.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *slept;

__attribute__((constructor)) static void begin(void) {
    int file = open(getenv("ASLEEP"), O_RDONLY);
    void *page = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) abort();
    slept = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME) && slept)
        time->tv_sec += *slept;
    return result;
}

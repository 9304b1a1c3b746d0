/* What all connections may have libzmq hold, of all kinds together: each kind has a bound, and they are
 * not all met at once. */

#include "peers.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a kind's own bound so much is there for it however much the others hold. */
enum { LEAST_PART = 4 };

void hold(enum held kind, uint64_t bytes) {
    atomic_store_explicit(guard.held + kind, bytes, memory_order_relaxed);
}

static uint64_t held(enum held kind) {
    if (kind != WAITING) return atomic_load_explicit(guard.held + kind, memory_order_relaxed);
    uint64_t waiting = 0;
    for (int i = 0; i < PEER_GUARD_INBOXES; i++) {
        const struct inbox *inbox = guard.inboxes + i;
        waiting += less(
            atomic_load_explicit(&inbox->arrived, memory_order_relaxed),
            atomic_load_explicit(&inbox->taken, memory_order_relaxed));
    }
    return waiting;
}

/* What a kind may hold: its bound, or less where the others leave less. Whoever had more before
 * they came is ended then. */
uint64_t held_bound(enum held kind, uint64_t bound) {
    uint64_t others = 0;
    for (enum held other = 0; other < HELD; other++)
        if (other != kind) others += held(other);
    uint64_t room = less(guard.limits.held_bytes, others), least = bound / LEAST_PART;
    return room > bound ? bound : room < least ? least : room;
}

/* ---- What was held ---- */

enum { MUCH_BYTES = 72 << 20, LITTLE_BYTES = 4 << 20, SOON_MS = 2000, LATER_MS = 10000 };

static uint64_t resident_bytes(void) {
    char text[64];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) syscall(SYS_close, file);
    if (count <= 0) return 0;
    text[count] = 0;
    unsigned long size, resident;
    if (sscanf(text, "%lu %lu", &size, &resident) != 2) return 0;
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* malloc gives back only what is free at the end of its memory, and after an attack much is free
 * between what is in use: the next one, of another kind, would come on top of it. To look through all
 * takes milliseconds, so it is done where much is resident and something is free, and more seldom where
 * it was for little. */
void give_back(uint64_t now) {
    static uint64_t next_ms;
    if (now < next_ms) return;
    uint64_t before = resident_bytes();
    next_ms = now + SOON_MS;
    if (before < MUCH_BYTES || mallinfo2().fordblks < 2 * LITTLE_BYTES) return;
    malloc_trim(0);
    if (less(before, resident_bytes()) < LITTLE_BYTES) next_ms = now + LATER_MS;
}

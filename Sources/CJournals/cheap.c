#define _GNU_SOURCE
#include "cheap.h"

#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((uintptr_t)2 << 20)
/* The C library adapts these until it is told anything. At a start it had come to the same: a buffer for a
 * segment of the log had been let go of. */
#define OWN_MAPPING (4 << 20)
#define KEPT_AT_THE_END (2 * OWN_MAPPING)
#define ADDED_AT_THE_END (128 << 10)
#define MOST_PIECES 64
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct cheap_maker {
    pthread_t thread;
    char *start, *end;
    atomic_int is_over;
};

/* Pages that are there already stay as they are, so that others may use them meanwhile. */
static void *make_pages(void *of) {
    struct cheap_maker *maker = of;
    for (char *page = maker->start; page < maker->end && !maker->is_over; page += LARGE_PAGE) {
        /* Linux before 5.14 does not know this. */
        if (madvise(page, LARGE_PAGE, MADV_POPULATE_WRITE) != 0) break;
    }
    return NULL;
}

static struct cheap_maker *begin_making(char *start, size_t bytes) {
    struct cheap_maker *maker = bytes < LARGE_PAGE ? NULL : malloc(sizeof *maker);
    if (!maker) return NULL;
    *maker = (struct cheap_maker){.start = start, .end = start + (bytes & -LARGE_PAGE)};
    /* Signals are for the thread that waits for them. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&maker->thread, NULL, make_pages, maker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0) return maker;
    free(maker);
    return NULL;
}

/* Takes what is free in the heap, until it has to grow, and gives that back. */
static void grow_now(const char *end) {
    void *pieces[MOST_PIECES];
    int count = 0;
    while (count < MOST_PIECES && sbrk(0) == end) pieces[count++] = malloc(OWN_MAPPING / 2);
    while (count > 0) free(pieces[--count]);
}

cheap_room cheap_grow(size_t bytes, size_t made) {
    cheap_room room = {NULL, 0, NULL};
    char *before = sbrk(0);
    if (bytes > INT_MAX) bytes = INT_MAX;
    mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, (int)bytes);
    grow_now(before);
    mallopt(M_TOP_PAD, ADDED_AT_THE_END);
    uintptr_t start = ((uintptr_t)before + LARGE_PAGE - 1) & -LARGE_PAGE;
    uintptr_t end = (uintptr_t)sbrk(0) & -LARGE_PAGE;
    if (end <= start || madvise((void *)start, end - start, MADV_HUGEPAGE) != 0) return room;
    room.start = (char *)start;
    room.bytes = end - start;
    room.maker = begin_making(room.start, made < room.bytes ? made : room.bytes);
    return room;
}

void cheap_settle(cheap_room room) {
    if (room.maker) {
        room.maker->is_over = 1;
        pthread_join(room.maker->thread, NULL);
        free(room.maker);
    }
    mallopt(M_TRIM_THRESHOLD, KEPT_AT_THE_END);
    malloc_trim(0);
    /* The heap may end before by now. */
    if ((char *)sbrk(0) < room.start + room.bytes) {
        uintptr_t end = (uintptr_t)sbrk(0) & -LARGE_PAGE;
        room.bytes = end > (uintptr_t)room.start ? end - (uintptr_t)room.start : 0;
    }
    if (room.bytes > 0) madvise(room.start, room.bytes, MADV_NOHUGEPAGE);
}

#ifndef TRESTLE_CHEAP_H
#define TRESTLE_CHEAP_H

#include <stddef.h>

/*
 * The heap while a journal is read. A recovery takes its memory in small pieces, and the system hands that
 * out by pages of 4 KiB, each with a fault of its own: with 100,000 rows a third of the time. What lies in
 * large pages is found quicker as well. So the heap grows once, and the system is told that it may use large
 * pages there. What nobody touches takes no memory.
 */
typedef struct cheap_room {
    char *start;
    size_t bytes;
    /* A thread that has pages made; null: there is none. */
    struct cheap_maker *maker;
} cheap_room;

/*
 * Makes room for so many bytes. It may have nothing: then all goes on as usual.
 *
 * The first `made` of them are used in any case. The system fills their pages with zeros while the caller goes
 * on, and not when it comes to each of them: a fifth of the time.
 */
cheap_room cheap_grow(size_t bytes, size_t made);

/* Gives back what is free. Pages that are large by now stay so. No more are made: these would take memory that nobody uses. */
void cheap_settle(cheap_room room);

#endif

/* The account of all connections, by descriptor: whose they are, their state, and what libzmq holds for them.
 *
 * The guard's layers. A file includes headers of the same or of an earlier line only:
 *
 *     1 rules.h rules.c            reasons, and each rule with its bound
 *     2 stream.h topics.h topics.c sets of topics
 *     3 names.h names.c stream.c   one connection's incoming bytes: its state machine
 *     4 account.h account.c        all connections
 *     5 sealed.h sealed.c          encrypted ones, whose messages cannot be read: both threads
 *     6 unread.h unread.c          what they do not read: both threads
 *     7 arriving.h arriving.c      what they send: I/O thread, as all below
 *     8 turnstile.h turnstile.c    viewers take turns where their coming and going costs much
 *     9 admit.h admit.c            which connections are let in
 *    10 room.h room.c              room to write, without asking epoll
 *    11 calls.c process.c          the functions in whose place libzmq calls ours
 *
 * peer_guard.h, the daemon's side, may be included by all. What both threads touch is atomic, or under `lock`,
 * which also keeps a descriptor from being closed, and its number from being given to another file, while the
 * state thread ends its connection. */

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FORTIFY_SOURCE

#include "peer_guard.h"
#include "stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <time.h>

#define get(object) atomic_load_explicit(&(object), memory_order_relaxed)
#define put(object, value) atomic_store_explicit(&(object), (value), memory_order_relaxed)

/* The connection's handshake goes on, has ended, or the guard has ended the connection. */
enum state { UNKNOWN, STRANGER, GUEST, ENDED };

/* A user or a process that has connections, with what these come to. All of tcp is one user, and all
 * processes that are not known are one. Made and freed under the lock. */
struct party {
    int64_t number;
    /* Connections that are not closed yet, or have left something: with the last one it goes. */
    uint32_t connections;
    /* Those of them that are open, and that have left something (`struct legacy`). */
    uint32_t open, left;
    /* I/O thread only: viewers that wait at the turnstile. */
    uint32_t waiting;
    /* Its different topics. */
    struct peer_guard_topics topics;
    /* For `end_most_topics`: the bytes of connections that are ended, and the open one with the most. */
    uint64_t gone_bytes, most_bytes;
    struct peer *worst;
    struct party *next;
};

struct peer {
    /* `enum state`. Changed under the lock. */
    atomic_uchar state;
    /* The kernel did not take all that it was given, and libzmq still has something for the peer. */
    atomic_bool is_blocked;
    struct party *user, *process;
    /* The exact clock's time: a question about a connection comes later. */
    atomic_ullong accepted_ns;

    /* I/O thread only, but for the topics, which are under the lock. */
    struct peer_guard_stream stream;
    uint64_t waiting_bytes, waiting_since;
    uint64_t unfinished_bytes;
    /* The events that libzmq wants to hear of, those that epoll was asked to report, and whether the next wait is to
     * look at the difference (room.c). */
    struct epoll_event wanted;
    uint32_t told;
    bool is_noted;
    /* Whether it waits at the turnstile, since when, and whether its end is known. */
    bool is_parked, is_over;
    uint64_t parked_number;
    /* Up to when its PINGs are paid for; since when it is not read, because it waits; 0: it was read. */
    uint64_t pinged_ms, unread_since_ms;
    /* An encrypted viewer's topics that the daemon may not have come to, and what had arrived in all with them. */
    uint64_t coming_bytes, coming_arrived;

    /* How much of `waiting_bytes` the daemon has taken. */
    atomic_ullong waiting_taken;
    /* When the message that is not finished began; 0: there is none. */
    atomic_ullong unfinished_since_ms;
    /* An encrypted connection that asks: what has come, how much of it when the last message was taken in, and
     * when that was. */
    atomic_ullong sealed_arrived, sealed_taken, sealed_taken_ms;
    /* Bytes that went to the kernel; and at the moment when the peer stopped reading: what that was,
     * the time, and what had been published. */
    atomic_ullong sent, blocked_sent, blocked_ms, blocked_published;
    /* Bytes that came after the handshake. */
    atomic_ullong received;

    /* Written by the state thread: for which connection the replies here are counted, how many there were and
     * their bytes, and `sent` when the first of them was given. */
    uint64_t connection;
    atomic_ullong replies, replied, replied_sent;
    /* The largest of these replies: libzmq holds all of it until its last byte has gone. */
    atomic_ullong largest;
    /* State thread only: `sent` at the last look. */
    uint64_t looked_sent;
};

struct inbox {
    /* Bytes of finished messages, and of those that the daemon has taken in. */
    atomic_ullong arrived, taken;
    /* I/O thread only: grows whenever little waits. */
    uint64_t quiet;
};

/* A connection that ended while its requests waited: whose it was, and the replies that it had not
 * read. libzmq lets go of both when the daemon has taken as much as had arrived. */
struct legacy {
    uint64_t arrived, bytes;
    struct party *user, *process;
};

/* Kinds of memory that libzmq holds for connections: messages that are not finished, those that the daemon has not
 * come to, and both of encrypted connections; replies, and publications, that are not read. */
enum held { UNFINISHED, WAITING, SEALED, REPLIES, PUBLICATIONS, HELD };

enum { SEALED_PORTS = 32 };

struct guard {
    bool is_on;
    /* Encrypted endpoints; fixed before the first bind. */
    struct {
        uint16_t port;
        bool subscribes;
    } sealed[SEALED_PORTS];
    int sealed_count;
    pthread_mutex_t lock;
    struct peer *peers;
    int capacity;
    /* One more than the highest descriptor that was a peer. */
    atomic_int end;
    /* `connections` is read under the lock; the rest by the I/O thread, which copies
     * `message_bytes` into it before each use. */
    struct peer_guard_limits limits;
    atomic_ullong message_bytes;
    atomic_ullong published;
    /* How often was sent: to those who ask, to viewers. */
    atomic_ullong sends[2];
    /* The state thread's loop has had so many turns. */
    atomic_ullong turns;
    /* How many that ask, not viewers, are blocked. */
    atomic_int blocked_askers;
    struct inbox inboxes[PEER_GUARD_INBOXES];
    /* Each kind's bytes at the last look; `WAITING` is in the inboxes. Publications count as the most that
     * one viewer is owed: they share them. */
    atomic_ullong held[HELD];
    /* I/O thread only: the routing id of the next client, counted on from a random one; how many viewers wait at
     * the turnstile; what came of encrypted connections since the last look at them, and how much had arrived in
     * all with the last topics of an encrypted viewer. */
    uint64_t next_name;
    uint32_t parked;
    uint64_t sealed_unseen, sealed_coming_arrived;
    /* The arrived bytes that the oldest legacy waits for, and the bytes of all: UINT64_MAX, 0 where there is none. */
    atomic_ullong next_legacy, legacy_bytes;

    /* Under the lock. Legacies are a ring of those that are not let go of yet, the oldest first; where it is full,
     * the last stands for several. */
    struct legacy legacies[PEER_GUARD_LEFT];
    uint32_t first_legacy, legacy_count;
    struct peer_guard_topics topics;
    struct party *users, *processes;
    uint32_t count[ENDED + 1];
    struct peer_guard_figures figures;
};

extern struct guard guard;

#define EACH_PEER(peer) \
    for (struct peer *peer = guard.peers, *past = peer + get(guard.end); peer < past; peer++)

static inline enum state state_of(const struct peer *peer) {
    return atomic_load_explicit(&peer->state, memory_order_acquire);
}

static inline struct peer *peer_of(int descriptor) {
    if (!guard.is_on || descriptor < 0 || descriptor >= guard.capacity) return NULL;
    struct peer *peer = guard.peers + descriptor;
    return state_of(peer) == UNKNOWN ? NULL : peer;
}

static inline int descriptor_of(const struct peer *peer) { return (int)(peer - guard.peers); }

static inline uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* Under the lock. The party of this number, with one connection more; NULL: no memory. */
struct party *party_join(struct party **all, int64_t number);

/* Under the lock. The party has one connection less, where there is one. */
void party_leave(struct party **all, struct party *party);

/* Under the lock. */
void set_state(struct peer *peer, enum state state);

/* Under the lock. The descriptor is closed. */
void closed(struct peer *peer);

/* Under the lock. */
void count_end(enum peer_guard_reason reason, int64_t uid, int64_t pid);

/* Under the lock, and without it. libzmq finds the stream at its end, and lets go of everything of this peer. */
void end(struct peer *peer, enum peer_guard_reason reason);
void end_locking(struct peer *peer, enum peer_guard_reason reason);

/* Bytes of an inbox that the daemon has not taken in. */
uint64_t waiting_in(enum peer_guard_inbox inbox);

/* How much a kind may hold: its bound, or less where the others leave less. What was within it before they came
 * may be too much then. */
uint64_t held_bound(enum held kind, uint64_t bound);

/* malloc gives back only what is free at the end of its memory, and after an attack much is free
 * between what is in use: the next one, of another kind, would come on top of it. To look through all
 * takes milliseconds, so it is done where much is resident and something is free, and more seldom where
 * it was for little. */
void give_back(uint64_t now);

/* What the parts of the guard share: the table of connections by descriptor.
 *
 *     calls.c      the functions in whose place libzmq calls ours                I/O thread
 *     arriving.c   bounds on what connections send                               I/O thread
 *     interest.c   what epoll is asked                                           I/O thread
 *     turnstile.c  viewers take turns where their coming and going costs much    I/O thread
 *     unread.c     bounds on what connections do not read                        state thread
 *     sealed.c     encrypted connections: bytes are counted, the daemon tells topics both
 *     held.c       what all of that may be together                               both
 *     peers.c      who is there, who is ended, and why                           both
 *     parties.c    users and processes, whose connections they are                both
 *     stream.c     one connection's incoming bytes; names.c: what it says of itself;
 *                  topics.c: its topics; hash.c: how they are found
 *
 * What both threads touch is atomic. `lock` keeps a descriptor from being closed, and its number from
 * being given to another file, while the state thread ends its connection. */

#ifndef TRESTLE_PEER_GUARD_PEERS_H
#define TRESTLE_PEER_GUARD_PEERS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FORTIFY_SOURCE

#include "peer_guard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <time.h>

enum state { UNKNOWN, STRANGER, GUEST, ENDED };

/* Bytes that the daemon has not taken in, of which it is only known when all that had arrived with
 * them is: in two parts, so that they end also where more comes all the time. Too many rather than too
 * few. */
struct coming {
    uint64_t older, younger;
    /* What had arrived in all with the last of each part. */
    uint64_t older_arrived, younger_arrived;
};

/* A user or a process that has connections, with what these come to. All of tcp is one user, and all
 * processes that are not known are one. Made and freed under the lock. */
struct party {
    int64_t number;
    /* That are not closed yet, or have left something: with the last one it goes. */
    uint32_t connections;
    /* Of these, that are open, and that have left something (`struct legacy`); under the lock. */
    uint32_t open, left;
    /* I/O thread only: viewers that wait at the turnstile. */
    uint32_t waiting;
    /* I/O thread only: the different topics, but for those of encrypted connections. */
    struct peer_guard_all_topics topics;
    /* For `end_most_topics`: the bytes of those that are ended, and the open one with the most. */
    uint64_t gone_bytes, most_bytes;
    int worst;
    unsigned bucket;
    struct party *next;
};

enum { PARTY_BUCKETS = 256 };

struct parties {
    struct party *buckets[PARTY_BUCKETS];
};

struct peer {
    /* `enum state`. Changed under the lock. */
    atomic_uchar state;
    /* The kernel did not take all that it was given, and libzmq still has something for the peer. */
    atomic_bool is_blocked;
    int64_t uid;
    int64_t pid;
    /* Whose it is. I/O thread, or under the lock. */
    struct party *user, *process;
    uint64_t accepted_ms;
    /* By the exact clock: a question about a connection comes later. */
    atomic_ullong accepted_ns;
    /* What of `waiting_bytes` the daemon has taken. */
    atomic_ullong waiting_taken;
    /* I/O thread only. */
    struct peer_guard_stream stream;
    uint64_t waiting_bytes;
    uint64_t waiting_since;
    uint64_t unfinished_bytes;
    /* I/O thread only: what libzmq wants to hear of it, what epoll was asked to report, and whether
     * that may differ. */
    struct epoll_event wanted;
    uint32_t told;
    bool is_noted;
    /* I/O thread only: whether it waits at the turnstile, since when, and whether its end is known. */
    bool is_parked;
    bool is_over;
    uint64_t parked_number;
    /* I/O thread only: up to when its PINGs are paid for; since when it was not read because it
     * waited, 0: it was. */
    uint64_t pinged_ms;
    uint64_t unread_since_ms;
    /* Of encrypted connections: what has come, how much of it when the last message was taken in and
     * when that was. Of their viewers instead, and I/O thread only: topics that the daemon has not
     * come to. */
    atomic_ullong sealed_arrived;
    atomic_ullong sealed_taken;
    atomic_ullong sealed_taken_ms;
    struct coming coming;
    /* When the message that is not finished began; 0: there is none. */
    atomic_ullong unfinished_since_ms;
    /* Bytes that went to the kernel; and of the moment when the peer stopped reading: what that was,
     * the time, and what had been published. */
    atomic_ullong sent;
    atomic_ullong blocked_sent;
    atomic_ullong blocked_ms;
    atomic_ullong blocked_published;
    /* Written by the state thread: for whom the replies here are counted, how many there were and
     * their bytes, and `sent` when the first of them was given. */
    uint64_t connection;
    atomic_ullong replies;
    atomic_ullong replied;
    atomic_ullong replied_sent;
    /* The largest of these replies: libzmq holds all of it until its last byte has gone. */
    atomic_ullong largest;
    /* State thread only: `sent` at the last look. */
    uint64_t looked_sent;
};

struct inbox {
    /* Bytes of finished messages, and of those that the daemon has taken in. */
    atomic_ullong arrived;
    atomic_ullong taken;
    /* I/O thread only: grows whenever little waits. */
    uint64_t quiet;
};

/* Of a connection that ended while its requests waited: who it was, and the replies that it had not
 * read. libzmq lets go of both when the daemon has taken all that the connection had sent: when it has
 * taken as much as had arrived. */
struct legacy {
    uint64_t arrived;
    uint64_t bytes;
    struct party *user;
    int64_t pid;
};

/* What libzmq holds for connections: messages that are not finished, those that the daemon has not
 * come to, and both of encrypted connections; replies, and publications, that are not read. */
enum held { UNFINISHED, WAITING, SEALED, REPLIES, PUBLICATIONS, HELD };

enum { SEALED_PORTS = 32, LEGACIES = 1024 };

struct guard {
    bool is_on;
    /* Ports of encrypted endpoints, and which of them are for subscribers; fixed before the first
     * bind. */
    uint16_t sealed_ports[SEALED_PORTS];
    bool sealed_subscribes[SEALED_PORTS];
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
    /* Of the state thread's loop. */
    atomic_ullong turns;
    /* How many that ask, not viewers, are blocked. */
    atomic_int blocked_askers;
    struct inbox inboxes[PEER_GUARD_INBOXES];
    /* Under the lock: a ring of those that are not let go of yet, the oldest first. */
    struct legacy legacies[LEGACIES];
    int first_legacy;
    int legacy_count; /* `LEGACIES`: some stand for several */
    /* What the oldest waits for, and the bytes of all: UINT64_MAX, 0 where there is none. */
    atomic_ullong next_legacy;
    atomic_ullong legacy_bytes;
    /* By `enum held`, as of the last look; `WAITING` is in the inboxes. Of publications the most that
     * a viewer is owed: they share them. */
    atomic_ullong held[HELD];
    /* I/O thread only: topics of all; of encrypted connections what came since the last look at them. */
    struct peer_guard_all_topics topics;
    uint64_t sealed_unseen;
    /* Under the lock. */
    struct parties users, processes;
    /* I/O thread only: the routing id of the next client, counted on from a random one. */
    uint64_t next_name;
    /* The same of encrypted connections. Of these the daemon says what they have: under the lock, but
     * for two sums. What it has not come to is estimated; I/O thread only. */
    struct peer_guard_all_topics sealed_topics;
    atomic_ullong sealed_topics_bytes;
    atomic_uint sealed_subscriptions;
    struct coming sealed_coming;
    uint32_t count[ENDED + 1]; /* connections by state, under the lock */
    struct peer_guard_figures figures; /* under the lock */
};

extern struct guard guard;

static inline struct peer *peer_of(int descriptor) {
    if (!guard.is_on || descriptor < 0 || descriptor >= guard.capacity) return NULL;
    struct peer *peer = guard.peers + descriptor;
    return atomic_load_explicit(&peer->state, memory_order_acquire) == UNKNOWN ? NULL : peer;
}

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

/* parties.c, under the lock. The one of this number, NULL: none; the same for one connection more, NULL: no
 * memory; one connection less, where there is one; the one behind another, in any order. */
struct party *party_of(const struct parties *all, int64_t number);
struct party *party_join(struct parties *all, int64_t number);
void party_leave(struct parties *all, struct party *party);
struct party *party_next(const struct parties *all, const struct party *party);

/* peers.c. Those with a state or a reason are called under the lock, `end_locking` without. */
void set_state(struct peer *peer, enum state state);
void closed(struct peer *peer);
void count_end(enum peer_guard_reason reason, int64_t uid, int64_t pid);
void end(int descriptor, struct peer *peer, enum peer_guard_reason reason);
void end_locking(int descriptor, struct peer *peer, enum peer_guard_reason reason);

/* arriving.c, on the I/O thread. */
bool admit(int descriptor);
enum peer_guard_reason took(struct peer *peer, const uint8_t *bytes, size_t count);
void set_unfinished(struct peer *peer, uint64_t bytes);
void end_unfinished(void);
uint64_t topics_bytes(void);
bool has_too_many_topics(void);
void end_most_topics(void);
void bound_topics(int descriptor, struct peer *peer);

/* sealed.c: encrypted connections. */
void sealed_admit(int descriptor, struct peer *peer);
void sealed_said(struct peer *peer);
enum peer_guard_reason sealed_took(struct peer *peer);
void sealed_look(uint64_t now);
uint64_t sealed_coming(const struct peer *peer);
bool sealed_waits(const struct peer *peer);
uint64_t sealed_topics_bytes(void);
void sealed_sum(void);

/* interest.c, on the I/O thread. */
bool interest_start(int capacity);
bool interest_knows_epoll(void);
void interest_tell(int descriptor, struct peer *peer);

/* turnstile.c, on the I/O thread. How often it is to be asked whether the next may pass. */
enum { TURNSTILE_PAUSE_MS = 4 };
bool turnstile_let_next(void);
uint32_t turnstile_masks(const struct peer *peer, uint32_t events);
bool turnstile_lets(int descriptor, struct peer *peer);
void turnstile_subscribed(struct peer *peer);
void turnstile_ended(void);
int turnstile_waiting(void);
void turnstile_forget(struct peer *peer);
bool turnstile_is_full_of(int64_t pid);

/* held.c. */
void hold(enum held kind, uint64_t bytes);
uint64_t held_bound(enum held kind, uint64_t bound);
void give_back(uint64_t now);

/* unread.c, on the I/O thread. */
void unread_sent(struct peer *peer, int64_t count, size_t size);
void unread_none(struct peer *peer);
void unread_left(const struct peer *peer);
bool has_left_much(int64_t pid);

#endif

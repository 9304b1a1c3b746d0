/* The accepted connections, by descriptor, and the four functions in whose place libzmq calls ours.
 *
 * libzmq's I/O thread makes those calls; the state thread asks and looks. What both touch is atomic;
 * `lock` keeps a descriptor from being closed, and its number from being given to another file,
 * while the state thread ends its connection. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FORTIFY_SOURCE

#include "peer_guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum state { UNKNOWN, STRANGER, GUEST, ENDED };

struct peer {
    /* `enum state`. Changed under the lock. */
    atomic_uchar state;
    /* The last send took less than it was given: there is something that the peer has not read. */
    atomic_bool is_blocked;
    int64_t uid;
    int64_t pid;
    uint64_t accepted_ms;
    /* I/O thread only. */
    struct peer_guard_stream stream;
    uint64_t waiting_bytes;
    uint64_t waiting_since;
    uint64_t unfinished_bytes;
    /* When the message that is not finished began; 0: there is none. */
    atomic_ullong unfinished_since_ms;
    /* Bytes that went to the kernel; what that was, and what had been published, when the peer
     * stopped reading. */
    atomic_ullong sent;
    atomic_ullong blocked_sent;
    atomic_ullong blocked_published;
    /* State thread only: large replies given, and `sent` when the first of them was. */
    uint64_t replied;
    uint64_t replied_sent;
    /* State thread only: `sent` at the last look. */
    uint64_t looked_sent;
};

static struct {
    bool is_on;
    pthread_mutex_t lock;
    struct peer *peers;
    int capacity;
    /* One more than the highest descriptor that was a peer. */
    atomic_int end;
    /* `connections` is read under the lock; the rest by the I/O thread, which takes over the next
     * two before it uses them. */
    struct peer_guard_limits limits;
    atomic_ullong message_bytes;
    atomic_uint topic_bytes;
    atomic_ullong published;
    struct inbox {
        /* Bytes of finished messages, and of those that the daemon has taken in. */
        atomic_ullong arrived;
        atomic_ullong taken;
        /* I/O thread only: grows whenever little waits. */
        uint64_t quiet;
    } inboxes[PEER_GUARD_INBOXES];
    /* I/O thread only: of all messages that are not finished. */
    uint64_t unfinished_bytes;
    uint32_t count[ENDED + 1]; /* connections by state, under the lock */
    struct peer_guard_figures figures; /* under the lock */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct peer *peer_of(int descriptor) {
    if (!guard.is_on || descriptor < 0 || descriptor >= guard.capacity) return NULL;
    struct peer *peer = guard.peers + descriptor;
    return atomic_load_explicit(&peer->state, memory_order_acquire) == UNKNOWN ? NULL : peer;
}

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* Under the lock. */
static void set_state(struct peer *peer, enum state state) {
    guard.count[atomic_load(&peer->state)]--;
    guard.count[state]++;
    atomic_store_explicit(&peer->state, state, memory_order_release);
}

static void count_end(enum peer_guard_reason reason, int64_t uid, int64_t pid) {
    guard.figures.ended[reason]++;
    guard.figures.last_uid = uid;
    guard.figures.last_pid = pid;
}

/* Under the lock. libzmq finds the stream at its end, and lets go of everything of this peer. */
static void end(int descriptor, struct peer *peer, enum peer_guard_reason reason) {
    enum state state = atomic_load(&peer->state);
    if (state != STRANGER && state != GUEST) return;
    set_state(peer, ENDED);
    count_end(reason, peer->uid, peer->pid);
    shutdown(descriptor, SHUT_RDWR);
}

static void end_locking(int descriptor, struct peer *peer, enum peer_guard_reason reason) {
    pthread_mutex_lock(&guard.lock);
    end(descriptor, peer, reason);
    pthread_mutex_unlock(&guard.lock);
}

/* I/O thread. */
static void set_unfinished(struct peer *peer, uint64_t bytes) {
    guard.unfinished_bytes += bytes - peer->unfinished_bytes;
    peer->unfinished_bytes = bytes;
}

/* ---- Coming in ---- */

/* Under the lock. Whoever is silent the longest makes room for who has just come, so that nobody
 * can keep others out by silence. */
static bool make_room(void) {
    uint32_t open = guard.count[STRANGER] + guard.count[GUEST];
    if (guard.count[STRANGER] < guard.limits.strangers && open < guard.limits.connections)
        return true;
    int oldest = -1;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++)
        if (atomic_load(&guard.peers[i].state) == STRANGER
            && (oldest < 0 || guard.peers[i].accepted_ms < guard.peers[oldest].accepted_ms))
            oldest = i;
    if (oldest < 0) return false;
    end(oldest, guard.peers + oldest, PEER_GUARD_SILENT);
    return true;
}

static bool admit(int descriptor) {
    struct ucred who = {0};
    socklen_t size = sizeof who;
    bool is_known = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid > 0;
    int64_t uid = is_known ? (int64_t)who.uid : -1, pid = is_known ? (int64_t)who.pid : -1;
    pthread_mutex_lock(&guard.lock);
    /* Those that were ended and are not closed yet hold a descriptor too. */
    bool has_room = descriptor < guard.capacity - 8 && make_room();
    if (has_room) {
        struct peer *peer = guard.peers + descriptor;
        set_state(peer, UNKNOWN);
        peer_guard_stream_end(&peer->stream);
        memset(peer, 0, sizeof *peer);
        peer->uid = uid;
        peer->pid = pid;
        peer->accepted_ms = now_ms();
        set_state(peer, STRANGER);
        if (descriptor >= atomic_load(&guard.end)) atomic_store(&guard.end, descriptor + 1);
    } else {
        count_end(PEER_GUARD_FULL, uid, pid);
    }
    pthread_mutex_unlock(&guard.lock);
    return has_room;
}

int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
    int descriptor = (int)syscall(SYS_accept4, listener, address, size, flags);
    if (!guard.is_on) return descriptor;
    if (descriptor < 0) {
        /* libzmq ends the process where no descriptor is left; "nobody is there" it can bear. */
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            errno = EAGAIN;
        return descriptor;
    }
    if (admit(descriptor)) return descriptor;
    syscall(SYS_close, descriptor);
    errno = ECONNABORTED;
    return -1;
}

int close(int descriptor) {
    struct peer *peer = peer_of(descriptor);
    if (peer) {
        pthread_mutex_lock(&guard.lock);
        set_state(peer, UNKNOWN);
        set_unfinished(peer, 0);
        peer_guard_stream_end(&peer->stream);
        pthread_mutex_unlock(&guard.lock);
    }
    return (int)syscall(SYS_close, descriptor);
}

/* ---- Incoming ---- */

/* What of all connections waits for the daemon is known; of one, what it has sent since little was
 * waiting. */
static bool waits_within_bounds(struct peer *peer, uint64_t finished) {
    struct inbox *inbox = guard.inboxes
        + (peer->stream.subscribes ? PEER_GUARD_SUBSCRIPTIONS : PEER_GUARD_REQUESTS);
    uint64_t arrived =
        atomic_fetch_add_explicit(&inbox->arrived, finished, memory_order_relaxed) + finished;
    uint64_t waiting = less(arrived, atomic_load_explicit(&inbox->taken, memory_order_relaxed));
    if (waiting <= guard.limits.all_waiting_bytes / 8) inbox->quiet++;
    if (peer->waiting_since != inbox->quiet) {
        peer->waiting_since = inbox->quiet;
        peer->waiting_bytes = 0;
    }
    peer->waiting_bytes += finished;
    if (peer->waiting_bytes > guard.limits.waiting_bytes) return false;
    return waiting <= guard.limits.all_waiting_bytes
        || peer->waiting_bytes <= guard.limits.all_waiting_bytes / 64;
}

/* Ends those whose message is unfinished the longest, until the rest is within the bound: whoever
 * means to finish does so soon. */
static void end_unfinished(void) {
    while (guard.unfinished_bytes > guard.limits.unfinished_bytes) {
        int oldest = -1;
        uint64_t since = UINT64_MAX;
        for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
            struct peer *peer = guard.peers + i;
            uint64_t began = atomic_load_explicit(&peer->unfinished_since_ms, memory_order_relaxed);
            if (!peer->unfinished_bytes || began >= since) continue;
            since = began;
            oldest = i;
        }
        if (oldest < 0) return;
        set_unfinished(guard.peers + oldest, 0);
        end_locking(oldest, guard.peers + oldest, PEER_GUARD_MESSAGE);
    }
}

static enum peer_guard_reason took(struct peer *peer, const uint8_t *bytes, size_t count) {
    struct peer_guard_stream *stream = &peer->stream;
    guard.limits.message_bytes = atomic_load_explicit(&guard.message_bytes, memory_order_relaxed);
    guard.limits.topic_bytes = atomic_load_explicit(&guard.topic_bytes, memory_order_relaxed);
    enum peer_guard_reason reason = peer_guard_stream_read(stream, &guard.limits, bytes, count);
    if (reason) return reason;
    if (stream->finished_bytes && !waits_within_bounds(peer, stream->finished_bytes))
        return PEER_GUARD_FLOOD;
    if (stream->bytes == 0)
        atomic_store_explicit(&peer->unfinished_since_ms, 0, memory_order_relaxed);
    else if (stream->finished_bytes || !peer->unfinished_bytes)
        atomic_store_explicit(&peer->unfinished_since_ms, now_ms(), memory_order_relaxed);
    if (stream->bytes != peer->unfinished_bytes) set_unfinished(peer, stream->bytes);
    return PEER_GUARD_NONE;
}

/* libzmq keeps a second holder of a routing id, and never reads what it sends. Only a viewer's id
 * means nothing. */
static bool is_another_s(const struct peer *peer) {
    if (!peer->stream.identity || peer->stream.subscribes) return false;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        const struct peer *other = guard.peers + i;
        if (other != peer && atomic_load(&other->state) == GUEST && !other->stream.subscribes
            && other->stream.identity == peer->stream.identity)
            return true;
    }
    return false;
}

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
    ssize_t count = syscall(SYS_recvfrom, descriptor, buffer, size, flags, NULL, NULL);
    if (count <= 0) return count;
    struct peer *peer = peer_of(descriptor);
    if (!peer) return count;
    if (atomic_load_explicit(&peer->state, memory_order_relaxed) == ENDED) return 0;
    enum peer_guard_reason reason = took(peer, buffer, (size_t)count);
    if (reason) {
        end_locking(descriptor, peer, reason);
        return 0;
    }
    if (peer->stream.is_guest
        && atomic_load_explicit(&peer->state, memory_order_relaxed) == STRANGER) {
        if (is_another_s(peer)) {
            end_locking(descriptor, peer, PEER_GUARD_IDENTITY);
            return 0;
        }
        pthread_mutex_lock(&guard.lock);
        if (atomic_load(&peer->state) == STRANGER) set_state(peer, GUEST);
        pthread_mutex_unlock(&guard.lock);
    }
    end_unfinished();
    return count;
}

/* ---- Outgoing ---- */

ssize_t send(int descriptor, const void *buffer, size_t size, int flags) {
    ssize_t count = syscall(SYS_sendto, descriptor, buffer, size, flags, NULL, 0);
    struct peer *peer = peer_of(descriptor);
    if (!peer) return count;
    uint64_t sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
    if (count > 0) {
        sent += (uint64_t)count;
        atomic_store_explicit(&peer->sent, sent, memory_order_relaxed);
    }
    bool is_blocked = count < 0 || (size_t)count < size;
    if (is_blocked && !atomic_load_explicit(&peer->is_blocked, memory_order_relaxed)) {
        uint64_t published = atomic_load_explicit(&guard.published, memory_order_relaxed);
        atomic_store_explicit(&peer->blocked_sent, sent, memory_order_relaxed);
        atomic_store_explicit(&peer->blocked_published, published, memory_order_relaxed);
    }
    atomic_store_explicit(&peer->is_blocked, is_blocked, memory_order_release);
    return count;
}

/* ---- The state thread ---- */

void peer_guard_published(uint64_t bytes) {
    uint64_t published = atomic_load_explicit(&guard.published, memory_order_relaxed);
    atomic_store_explicit(&guard.published, published + bytes, memory_order_relaxed);
}

uint64_t peer_guard_arrived(enum peer_guard_inbox inbox) {
    return atomic_load_explicit(&guard.inboxes[inbox].arrived, memory_order_relaxed);
}

void peer_guard_took(enum peer_guard_inbox inbox, uint64_t frames, uint64_t bytes) {
    struct inbox *from = guard.inboxes + inbox;
    uint64_t taken = atomic_load_explicit(&from->taken, memory_order_relaxed);
    taken += bytes + frames * PEER_GUARD_FRAME_COST;
    atomic_store_explicit(&from->taken, taken, memory_order_relaxed);
}

/* Messages of a connection that ended in between never come: they count as taken here. */
void peer_guard_drained(enum peer_guard_inbox inbox, uint64_t arrived) {
    struct inbox *from = guard.inboxes + inbox;
    if (atomic_load_explicit(&from->taken, memory_order_relaxed) < arrived)
        atomic_store_explicit(&from->taken, arrived, memory_order_relaxed);
}

/* Of large replies: what was given less what went out since. Small replies between them count as
 * sent too, so it may be too little by what a socket's queue holds of those. */
static uint64_t unread_replies(struct peer *peer) {
    uint64_t sent = atomic_load_explicit(&peer->sent, memory_order_relaxed) - peer->replied_sent;
    return less(peer->replied, sent);
}

bool peer_guard_may_reply(int descriptor, uint64_t bytes) {
    struct peer *peer = peer_of(descriptor);
    if (!peer) return true;
    uint64_t unread = unread_replies(peer);
    if (unread > guard.limits.unread_replies) return false;
    if (unread == 0) {
        peer->replied = 0;
        peer->replied_sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
    }
    peer->replied += bytes;
    uint64_t all = 0, most = 0;
    int worst = -1;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        if (!peer_of(i)) continue;
        uint64_t unread = unread_replies(guard.peers + i);
        all += unread;
        if (unread > most && atomic_load(&guard.peers[i].is_blocked)) {
            most = unread;
            worst = i;
        }
    }
    if (all > guard.limits.all_unread_replies && worst >= 0)
        end_locking(worst, guard.peers + worst, PEER_GUARD_UNREAD);
    return true;
}

/* A viewer that reads nothing goes when the bound is reached; one that reads slowly has four times
 * as much, since the publications counted may not all be its own. */
static bool reads(struct peer *peer, uint64_t looked_sent) {
    if (!atomic_load_explicit(&peer->is_blocked, memory_order_acquire)) return true;
    uint64_t sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
    uint64_t owed = less(
        atomic_load_explicit(&guard.published, memory_order_relaxed)
            - atomic_load_explicit(&peer->blocked_published, memory_order_relaxed),
        sent - atomic_load_explicit(&peer->blocked_sent, memory_order_relaxed));
    uint64_t bound = guard.limits.unread_publications;
    return owed <= (sent - looked_sent > bound / 128 ? 4 * bound : bound);
}

void peer_guard_look(void) {
    uint64_t now = now_ms();
    pthread_mutex_lock(&guard.lock);
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        struct peer *peer = guard.peers + i;
        if (atomic_load(&peer->state) != GUEST) continue;
        uint64_t began = atomic_load_explicit(&peer->unfinished_since_ms, memory_order_relaxed);
        if (began && less(now, began) > guard.limits.unfinished_ms) end(i, peer, PEER_GUARD_MESSAGE);
        if (!peer->stream.subscribes) {
            /* What the descriptor's connection before was given is not this one's to read. */
            if (!atomic_load_explicit(&peer->is_blocked, memory_order_acquire)) peer->replied = 0;
            continue;
        }
        uint64_t looked_sent = peer->looked_sent;
        peer->looked_sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
        if (!reads(peer, looked_sent)) end(i, peer, PEER_GUARD_UNREAD);
    }
    pthread_mutex_unlock(&guard.lock);
}

void peer_guard_read(struct peer_guard_figures *figures) {
    pthread_mutex_lock(&guard.lock);
    *figures = guard.figures;
    figures->connections = guard.count[STRANGER] + guard.count[GUEST];
    figures->strangers = guard.count[STRANGER];
    pthread_mutex_unlock(&guard.lock);
}

/* Some descriptors are for the daemon's own files. */
static uint32_t most_connections(void) {
    return guard.capacity > 80 ? (uint32_t)guard.capacity - 40 : 40;
}

void peer_guard_change(uint32_t connections, uint64_t message_bytes, uint32_t topic_bytes) {
    if (!guard.is_on) return;
    atomic_store_explicit(&guard.message_bytes, message_bytes, memory_order_relaxed);
    atomic_store_explicit(&guard.topic_bytes, topic_bytes, memory_order_relaxed);
    uint32_t most = most_connections();
    pthread_mutex_lock(&guard.lock);
    guard.limits.connections = connections > most ? most : connections;
    pthread_mutex_unlock(&guard.lock);
}

int peer_guard_start(const struct peer_guard_limits *limits) {
    if (guard.is_on) return 0;
    /* What libzmq's calls find is what this finds. */
    if (dlsym(RTLD_DEFAULT, "recv") != (void *)recv || dlsym(RTLD_DEFAULT, "send") != (void *)send
        || dlsym(RTLD_DEFAULT, "accept4") != (void *)accept4
        || dlsym(RTLD_DEFAULT, "close") != (void *)close)
        return -1;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return errno;
    guard.capacity = files.rlim_cur > 65536 ? 65536 : (int)files.rlim_cur;
    guard.peers = calloc((size_t)guard.capacity, sizeof *guard.peers);
    if (!guard.peers) return ENOMEM;
    guard.figures.last_uid = guard.figures.last_pid = -1;
    guard.limits = *limits;
    atomic_store(&guard.message_bytes, limits->message_bytes);
    atomic_store(&guard.topic_bytes, limits->topic_bytes);
    uint32_t most = most_connections();
    if (guard.limits.connections > most) guard.limits.connections = most;
    if (guard.limits.strangers > most / 2) guard.limits.strangers = most / 2;
    guard.is_on = true;
    return 0;
}

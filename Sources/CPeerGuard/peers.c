/* The accepted connections by descriptor: who is there, who is ended, and why. */

#include "peers.h"
#include "topics.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct guard guard = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_legacy = UINT64_MAX};

static bool is_open(enum state state) { return state == STRANGER || state == GUEST; }

void set_state(struct peer *peer, enum state state) {
    enum state before = atomic_load(&peer->state);
    guard.count[before]--;
    guard.count[state]++;
    if (is_open(before)) peer->user->open--;
    if (is_open(state)) peer->user->open++;
    atomic_store_explicit(&peer->state, state, memory_order_release);
}

/* It is closed. */
void closed(struct peer *peer) {
    set_state(peer, UNKNOWN);
    peer_guard_stream_end(&peer->stream);
    party_leave(&guard.users, peer->user);
    party_leave(&guard.processes, peer->process);
    peer->user = peer->process = NULL;
}

void count_end(enum peer_guard_reason reason, int64_t uid, int64_t pid) {
    guard.figures.ended[reason]++;
    guard.figures.last_uid = uid;
    guard.figures.last_pid = pid;
}

/* libzmq finds the stream at its end, and lets go of everything of this peer. */
void end(int descriptor, struct peer *peer, enum peer_guard_reason reason) {
    if (!is_open(atomic_load(&peer->state))) return;
    set_state(peer, ENDED);
    count_end(reason, peer->uid, peer->pid);
    shutdown(descriptor, SHUT_RDWR);
}

void end_locking(int descriptor, struct peer *peer, enum peer_guard_reason reason) {
    pthread_mutex_lock(&guard.lock);
    end(descriptor, peer, reason);
    pthread_mutex_unlock(&guard.lock);
}

void peer_guard_end_viewers(int64_t uid) {
    pthread_mutex_lock(&guard.lock);
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        struct peer *peer = guard.peers + i;
        if (atomic_load(&peer->state) == GUEST && peer->stream.subscribes && peer->uid == uid)
            end(i, peer, PEER_GUARD_REVOKED);
    }
    pthread_mutex_unlock(&guard.lock);
}

bool peer_guard_is_open(int descriptor, uint64_t let_in_ns) {
    const struct peer *peer = peer_of(descriptor);
    return peer && atomic_load(&peer->accepted_ns) < let_in_ns;
}

void peer_guard_end_viewer(int descriptor) {
    struct peer *peer = peer_of(descriptor);
    if (peer) end_locking(descriptor, peer, PEER_GUARD_TOPICS);
}

uint32_t peer_guard_connections_of(int64_t uid) {
    pthread_mutex_lock(&guard.lock);
    const struct party *user = party_of(&guard.users, uid);
    uint32_t count = user ? user->open : 0;
    pthread_mutex_unlock(&guard.lock);
    return count;
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

void peer_guard_change(uint32_t connections, uint64_t message_bytes) {
    if (!guard.is_on) return;
    atomic_store_explicit(&guard.message_bytes, message_bytes, memory_order_relaxed);
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
        || dlsym(RTLD_DEFAULT, "close") != (void *)close
        || dlsym(RTLD_DEFAULT, "epoll_ctl") != (void *)epoll_ctl
        || dlsym(RTLD_DEFAULT, "epoll_wait") != (void *)epoll_wait)
        return -1;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return errno;
    guard.capacity = files.rlim_cur > 65536 ? 65536 : (int)files.rlim_cur;
    guard.peers = calloc((size_t)guard.capacity, sizeof *guard.peers);
    if (!guard.peers || !interest_start(guard.capacity)) return ENOMEM;
    uint64_t key[2];
    if (getrandom(&guard.next_name, sizeof guard.next_name, 0) < 0 || getrandom(key, sizeof key, 0) < 0)
        return errno;
    hash_seed(key);
    guard.figures.last_uid = guard.figures.last_pid = -1;
    guard.limits = *limits;
    atomic_store(&guard.message_bytes, limits->message_bytes);
    uint32_t most = most_connections();
    if (guard.limits.connections > most) guard.limits.connections = most;
    if (guard.limits.strangers > most / 2) guard.limits.strangers = most / 2;
    guard.is_on = true;
    return 0;
}

/* The functions in whose place libzmq calls ours. On its I/O thread; connections that were not
 * accepted here pass through untouched. */

#include "peers.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_viewer(const struct peer *peer) {
    return peer->stream.is_guest && peer->stream.subscribes;
}

static bool is_ended(const struct peer *peer) {
    return atomic_load_explicit(&peer->state, memory_order_relaxed) == ENDED;
}

/* Whether somebody else waits to be accepted: a listening socket may be one that blocks. */
static bool has_next(int listener) {
    struct pollfd look = {.fd = listener, .events = POLLIN};
    return poll(&look, 1, 0) > 0;
}

int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
    /* Who is refused costs little here, and much in libzmq: in a storm the next one is looked at. */
    for (int tries = 0;; tries++) {
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
        if (tries == 64 || !has_next(listener)) break;
    }
    errno = ECONNABORTED;
    return -1;
}

int close(int descriptor) {
    struct peer *peer = peer_of(descriptor);
    if (peer) {
        unread_none(peer);
        turnstile_forget(peer);
        /* libzmq walks the topics that there are with this one's. */
        if (is_viewer(peer)) turnstile_ended();
        pthread_mutex_lock(&guard.lock);
        if (!peer->stream.subscribes) unread_left(peer);
        set_unfinished(peer, 0);
        closed(peer);
        sealed_sum();
        pthread_mutex_unlock(&guard.lock);
    }
    return (int)syscall(SYS_close, descriptor);
}

/* The bytes that arrived are within all bounds; else the connection is ended. */
static bool keeps_bounds(int descriptor, struct peer *peer, const void *bytes, size_t count) {
    enum peer_guard_reason reason = took(peer, bytes, count);
    if (reason) {
        end_locking(descriptor, peer, reason);
        return false;
    }
    if (atomic_load_explicit(&peer->state, memory_order_relaxed) == STRANGER
        && peer->stream.is_guest) {
        pthread_mutex_lock(&guard.lock);
        if (atomic_load(&peer->state) == STRANGER) set_state(peer, GUEST);
        pthread_mutex_unlock(&guard.lock);
    }
    if (peer->unfinished_bytes) end_unfinished();
    return true;
}

/* libzmq sees a command of the handshake only as a whole, and READY with a routing id of the guard's. No bytes
 * behind it are read with it. */
static ssize_t
recv_handshake(int descriptor, struct peer *peer, void *buffer, size_t size, int flags) {
    sealed_said(NULL);
    for (;;) {
        bool is_held;
        size_t wanted = peer_guard_stream_wants(&peer->stream, &is_held);
        if (wanted > size) wanted = size;
        ssize_t count = syscall(SYS_recvfrom, descriptor, buffer, wanted, flags, NULL, NULL);
        if (count <= 0) return count;
        if (is_ended(peer) || !keeps_bounds(descriptor, peer, buffer, (size_t)count)) return 0;
        if (!is_held) return count;
        if (!peer->stream.is_said) continue;
        sealed_said(peer);
        return (ssize_t)peer_guard_stream_handshake(
            &peer->stream, guard.next_name++, buffer, size);
    }
}

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
    struct peer *peer = peer_of(descriptor);
    if (peer && is_viewer(peer)) {
        if (!turnstile_lets(descriptor, peer)) {
            errno = EAGAIN;
            return -1;
        }
        /* It went while it waited. What it had still said is for nobody: its topics would be work. */
        if (peer->is_over) return 0;
    }
    if (peer && !peer->stream.is_guest)
        return recv_handshake(descriptor, peer, buffer, size, flags);
    ssize_t count = syscall(SYS_recvfrom, descriptor, buffer, size, flags, NULL, NULL);
    if (!peer || count <= 0) return count;
    if (is_ended(peer) || !keeps_bounds(descriptor, peer, buffer, (size_t)count)) return 0;
    if (!is_viewer(peer)) return count;
    turnstile_subscribed(peer);
    bound_topics(descriptor, peer);
    return is_ended(peer) ? 0 : count;
}

ssize_t send(int descriptor, const void *buffer, size_t size, int flags) {
    ssize_t count = syscall(SYS_sendto, descriptor, buffer, size, flags, NULL, 0);
    struct peer *peer = peer_of(descriptor);
    if (peer) unread_sent(peer, count, size);
    return count;
}

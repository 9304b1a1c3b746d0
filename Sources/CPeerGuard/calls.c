/* The functions in whose place libzmq calls ours, on its I/O thread, and the guard's start. Connections that were
 * not accepted here pass through untouched. */

#include "admit.h"
#include "arriving.h"
#include "room.h"
#include "sealed.h"
#include "turnstile.h"
#include "unread.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_viewer(const struct peer *peer) {
    return peer->stream.is_guest && peer->stream.subscribes;
}

/* Whether another connection waits to be accepted: a listening socket may be one that blocks. */
static bool has_next(int listener) {
    struct pollfd look = {.fd = listener, .events = POLLIN};
    return poll(&look, 1, 0) > 0;
}

int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
    /* A refusal costs little here, and much in libzmq: in a storm the next one is looked at. */
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
        pthread_mutex_lock(&guard.lock);
        /* libzmq walks the topics that there are with this one's. */
        if (is_viewer(peer)) turnstile_ended();
        if (!peer->stream.subscribes) unread_left(peer);
        set_unfinished(peer, 0);
        closed(peer);
        pthread_mutex_unlock(&guard.lock);
    }
    return (int)syscall(SYS_close, descriptor);
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
        if (get(peer->state) == ENDED || !took(peer, buffer, (size_t)count)) return 0;
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
        if (!turnstile_lets(peer)) {
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
    put(peer->received, get(peer->received) + (uint64_t)count);
    if (get(peer->state) == ENDED || !took(peer, buffer, (size_t)count)) return 0;
    if (is_viewer(peer)) turnstile_subscribed(peer);
    return count;
}

ssize_t send(int descriptor, const void *buffer, size_t size, int flags) {
    ssize_t count = syscall(SYS_sendto, descriptor, buffer, size, flags, NULL, 0);
    struct peer *peer = peer_of(descriptor);
    if (peer) unread_sent(peer, count, size);
    return count;
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
    struct peer *peer = peer_of(descriptor);
    struct epoll_event masked;
    if (peer && event && operation != EPOLL_CTL_DEL) {
        turnstile_epoll = epoll;
        /* It waits for no room to write: libzmq has nothing more for the peer. */
        if (!(event->events & EPOLLOUT)) unread_none(peer);
        peer->wanted = *event;
        masked = turnstile_wants(peer);
        if (room_notes(peer, operation, &masked)) return 0;
        peer->told = masked.events;
        event = &masked;
    } else if (peer) {
        turnstile_forget(peer);
        peer->is_noted = false;
    }
    return (int)syscall(SYS_epoll_ctl, epoll, operation, descriptor, event);
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout) {
    int said = 0;
    if (epoll == turnstile_epoll) {
        if (turnstile_let_next() && (timeout < 0 || timeout > TURNSTILE_PAUSE_MS))
            timeout = TURNSTILE_PAUSE_MS;
        /* Half of the places are for the events that epoll reports. */
        said = room_say(events, most > 1 ? most / 2 : 1);
        if (said == most) return said;
        if (said > 0) timeout = 0;
    }
    int count = (int)syscall(SYS_epoll_pwait, epoll, events + said, most - said, timeout, NULL, 8);
    if (count < 0) return said > 0 ? said : count;
    /* libzmq does not look at the end that TCP reports while the other direction is open. */
    for (int i = said; i < said + count; i++)
        if (events[i].events & EPOLLRDHUP) events[i].events |= EPOLLHUP;
    return said + count;
}

/* ---- Start ---- */

/* Some descriptors are for the daemon's own files. */
static uint32_t at_most(uint32_t connections) {
    uint32_t most = guard.capacity > 80 ? (uint32_t)guard.capacity - 40 : 40;
    return connections > most ? most : connections;
}

void peer_guard_change(uint32_t connections, uint64_t message_bytes) {
    if (!guard.is_on) return;
    put(guard.message_bytes, message_bytes);
    pthread_mutex_lock(&guard.lock);
    guard.limits.connections = at_most(connections);
    pthread_mutex_unlock(&guard.lock);
}

int peer_guard_start(const struct peer_guard_limits *limits) {
    if (guard.is_on) return 0;
    /* This finds the functions that libzmq's calls find. */
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
    if (!guard.peers || !room_start()) return ENOMEM;
    if (getrandom(&guard.next_name, sizeof guard.next_name, 0) < 0) return errno;
    guard.figures.last_uid = guard.figures.last_pid = -1;
    guard.limits = *limits;
    put(guard.message_bytes, limits->message_bytes);
    guard.limits.connections = at_most(limits->connections);
    uint32_t most = at_most(UINT32_MAX) / 2;
    if (guard.limits.strangers > most) guard.limits.strangers = most;
    guard.is_on = true;
    return 0;
}

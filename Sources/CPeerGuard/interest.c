/* What epoll reports of each connection. Before each message libzmq asks to be told when there is room
 * to write, sends, and when it is told takes its wish back: two calls of the system for each message.
 * Mostly there is room. So a wish for room is only noted. At the next wait the answer is yes, without
 * a look, unless the kernel took less than it was last given: then epoll is asked. If there is no room
 * after all, the send says so, and then epoll is asked. */

#include "peers.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Connections whose wish epoll does not know. One that has gone may stand here still, and one that got
 * its descriptor twice: that does no harm. */
static int *noted;
static int noted_count;
/* libzmq's epoll, once it is known. */
static int known_epoll = -1;

bool interest_start(int capacity) {
    noted = calloc((size_t)capacity, sizeof *noted);
    return noted != NULL;
}

bool interest_knows_epoll(void) { return known_epoll >= 0; }

static struct epoll_event wish(const struct peer *peer) {
    struct epoll_event event = peer->wanted;
    event.events = turnstile_masks(peer, event.events);
    return event;
}

void interest_tell(int descriptor, struct peer *peer) {
    struct epoll_event event = wish(peer);
    peer->told = event.events;
    syscall(SYS_epoll_ctl, known_epoll, EPOLL_CTL_MOD, descriptor, &event);
}

static void note(int descriptor, struct peer *peer) {
    if (peer->is_noted) return;
    if (noted_count == guard.capacity) return interest_tell(descriptor, peer);
    peer->is_noted = true;
    noted[noted_count++] = descriptor;
}

enum peer_guard_interest
peer_guard_interest(uint32_t wanted, uint32_t told, bool is_blocked) {
    if (wanted == told) return PEER_GUARD_KNOWN;
    bool wants_room = (wanted & EPOLLOUT) && !(told & EPOLLOUT);
    return wants_room && !is_blocked ? PEER_GUARD_HAS_ROOM : PEER_GUARD_ASK;
}

/* Says of those who wish for room that there is some, of `most` at once, and tells epoll what else is
 * noted. Those of whom it is said stay until libzmq takes the wish back, or the kernel takes no more. */
static int say_room(struct epoll_event *events, int most) {
    int kept = 0, said = 0;
    for (int i = 0; i < noted_count; i++) {
        int descriptor = noted[i];
        struct peer *peer = peer_of(descriptor);
        if (!peer || !peer->is_noted) continue;
        struct epoll_event event = wish(peer);
        bool is_blocked = atomic_load_explicit(&peer->is_blocked, memory_order_relaxed);
        switch (peer_guard_interest(event.events, peer->told, is_blocked)) {
        case PEER_GUARD_HAS_ROOM:
            noted[kept++] = descriptor;
            if (said == most) break;
            event.events = EPOLLOUT;
            events[said++] = event;
            break;
        case PEER_GUARD_ASK:
            interest_tell(descriptor, peer);
            peer->is_noted = false;
            break;
        case PEER_GUARD_KNOWN: peer->is_noted = false;
        }
    }
    noted_count = kept;
    return said;
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
    struct peer *peer = peer_of(descriptor);
    if (!peer || !event || operation == EPOLL_CTL_DEL) {
        if (peer) {
            turnstile_forget(peer);
            peer->is_noted = false;
        }
        return (int)syscall(SYS_epoll_ctl, epoll, operation, descriptor, event);
    }
    known_epoll = epoll;
    /* It waits for no room to write: libzmq has nothing more for the peer. */
    if (!(event->events & EPOLLOUT)) unread_none(peer);
    peer->wanted = *event;
    struct epoll_event masked = wish(peer);
    if (operation == EPOLL_CTL_MOD && !((masked.events ^ peer->told) & ~(uint32_t)EPOLLOUT)) {
        note(descriptor, peer);
        return 0;
    }
    peer->told = masked.events;
    return (int)syscall(SYS_epoll_ctl, epoll, operation, descriptor, &masked);
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout) {
    int said = 0;
    if (epoll == known_epoll) {
        if (turnstile_let_next() && (timeout < 0 || timeout > TURNSTILE_PAUSE_MS))
            timeout = TURNSTILE_PAUSE_MS;
        /* What epoll knows has its place too. */
        said = say_room(events, most > 1 ? most / 2 : 1);
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

#include "room.h"

#include "turnstile.h"

#include <stdlib.h>

/* Connections whose wish epoll does not know. One that has gone may stand here still, and one that got
 * its descriptor twice: that does no harm. */
static int *noted;
static int noted_count;

bool room_start(void) {
    noted = calloc((size_t)guard.capacity, sizeof *noted);
    return noted != NULL;
}

enum peer_guard_interest peer_guard_interest(uint32_t wanted, uint32_t told, bool is_blocked) {
    if (wanted == told) return PEER_GUARD_KNOWN;
    bool wants_room = (wanted & EPOLLOUT) && !(told & EPOLLOUT);
    return wants_room && !is_blocked ? PEER_GUARD_HAS_ROOM : PEER_GUARD_ASK;
}

bool room_notes(struct peer *peer, int operation, const struct epoll_event *event) {
    bool is_same = !((event->events ^ peer->told) & ~(uint32_t)EPOLLOUT);
    if (operation != EPOLL_CTL_MOD || !is_same) return false;
    if (peer->is_noted) return true;
    if (noted_count == guard.capacity) return false;
    peer->is_noted = true;
    noted[noted_count++] = descriptor_of(peer);
    return true;
}

int room_say(struct epoll_event *events, int most) {
    int kept = 0, said = 0;
    for (int i = 0; i < noted_count; i++) {
        struct peer *peer = peer_of(noted[i]);
        if (!peer || !peer->is_noted) continue;
        struct epoll_event event = turnstile_wants(peer);
        switch (peer_guard_interest(event.events, peer->told, get(peer->is_blocked))) {
        case PEER_GUARD_HAS_ROOM:
            noted[kept++] = noted[i];
            if (said == most) break;
            event.events = EPOLLOUT;
            events[said++] = event;
            break;
        case PEER_GUARD_ASK:
            turnstile_tell_epoll(peer);
            peer->is_noted = false;
            break;
        case PEER_GUARD_KNOWN: peer->is_noted = false;
        }
    }
    noted_count = kept;
    return said;
}

#include "admit.h"

#include "sealed.h"
#include "turnstile.h"

#include <string.h>
#include <sys/socket.h>

/* Those that have gone and are still in libzmq are connections of a user too. */
static uint32_t connections_of(const struct party *user) { return user->open + user->left; }

/* There are as many connections as there may be. Of the user who has the most, the
 * one that has been silent the longest makes room for a user who has fewer, else the newest. Among
 * those who have as many only the silent ones do. Where the user with the most has only such as have gone,
 * these make room by themselves soon. */
static bool make_room_of_user(const struct party *own) {
    const struct party *most = own;
    for (const struct party *user = guard.users; user; user = user->next)
        if (connections_of(user) > connections_of(most)) most = user;
    bool has_fewer = connections_of(own) + 1 < connections_of(most);
    struct peer *silent = NULL, *newest = NULL;
    EACH_PEER(peer) {
        enum state state = get(peer->state);
        if (state != STRANGER && state != GUEST) continue;
        if (has_fewer ? peer->user != most : connections_of(peer->user) < connections_of(own))
            continue;
        if (!newest || get(peer->accepted_ns) > get(newest->accepted_ns)) newest = peer;
        if (state == STRANGER && (!silent || get(peer->accepted_ns) < get(silent->accepted_ns)))
            silent = peer;
    }
    if (silent) end(silent, PEER_GUARD_SILENT);
    else if (has_fewer && newest) end(newest, PEER_GUARD_FULL);
    return silent || has_fewer;
}

/* The first that came of the silent ones, where there are at least so many of them; else NULL. `process`: only its
 * own count; NULL: all. */
static struct peer *first_silent(uint32_t least, const struct party *process) {
    struct peer *first = NULL;
    uint32_t count = 0;
    if (guard.count[STRANGER] < least) return NULL;
    EACH_PEER(peer) {
        if (get(peer->state) != STRANGER || (process && peer->process != process)) continue;
        count++;
        if (!first || get(peer->accepted_ns) < get(first->accepted_ns)) first = peer;
    }
    return count < least ? NULL : first;
}

/* A silent connection makes room for one that has just come, so that nobody can keep others out by silence. Those of
 * one process make room no sooner than after a while: others need not wait behind a storm of it. */
static bool make_room(const struct party *user, const struct party *process) {
    struct peer *own =
        process->number > 0 ? first_silent(guard.limits.strangers_of_one, process) : NULL;
    uint32_t all = guard.count[STRANGER] + guard.count[GUEST] + guard.legacy_count;
    if (own && less(now_ns(), get(own->accepted_ns)) / 1000000 < guard.limits.patience_ms) return false;
    if (!own && all >= guard.limits.connections) return make_room_of_user(user);
    struct peer *first = own ? own : first_silent(guard.limits.strangers, NULL);
    if (first) end(first, PEER_GUARD_SILENT);
    return true;
}

/* Whether a process has so many connections that have gone and are still in libzmq that no other of it is let in:
 * they hold places, of which there are only so many for all. With fewer than `least` of all that have gone it may.
 * All of tcp, and all processes that are not known, are one. */
static bool has_left_much(uint32_t places, uint32_t least, uint32_t all, uint32_t own, int64_t pid) {
    if (all < least) return false;
    if (pid <= 0) return own >= places / 4;
    return own >= (all < places / 2 ? places / 16 : places / 64);
}

static bool has_room(int descriptor, const struct party *user, const struct party *process) {
    /* Those that were ended and are not closed yet hold a descriptor too. */
    if (!user || !process || descriptor >= guard.capacity - 8) return false;
    int64_t pid = process->number;
    uint32_t left = guard.limits.left, places = guard.limits.connections;
    if (has_left_much(left, left / 8, guard.legacy_count, process->left, pid)) return false;
    uint32_t own, gone = turnstile_gone(process, &own);
    return !has_left_much(places, places / 4, gone, own, pid) && make_room(user, process);
}

bool admit(int descriptor) {
    struct ucred who = {0};
    socklen_t size = sizeof who;
    /* Neither is known of tcp, nor a process that is outside the daemon's namespace of process numbers. */
    bool is_known = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0
        && who.uid != (uid_t)-1;
    int64_t uid = is_known ? (int64_t)who.uid : -1;
    int64_t pid = is_known && who.pid > 0 ? (int64_t)who.pid : -1;
    pthread_mutex_lock(&guard.lock);
    struct party *user = party_join(&guard.users, uid), *process = party_join(&guard.processes, pid);
    bool may_stay = has_room(descriptor, user, process);
    if (may_stay) {
        struct peer *peer = guard.peers + descriptor;
        closed(peer);
        memset(peer, 0, sizeof *peer);
        peer->user = user;
        peer->process = process;
        put(peer->accepted_ns, now_ns());
        peer->stream.all_topics = &guard.topics;
        peer->stream.user_topics = &user->topics;
        sealed_admit(descriptor, peer);
        set_state(peer, STRANGER);
        if (descriptor >= get(guard.end)) put(guard.end, descriptor + 1);
    } else {
        party_leave(&guard.users, user);
        party_leave(&guard.processes, process);
        count_end(PEER_GUARD_FULL, uid, pid);
    }
    pthread_mutex_unlock(&guard.lock);
    return may_stay;
}

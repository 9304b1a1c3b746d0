/* Bounds on what connections send: themselves, messages, what waits for the daemon, topics. All on
 * libzmq's I/O thread. */

#include "peers.h"

#include <string.h>
#include <sys/socket.h>

/* ---- Connections ---- */

enum { PATIENCE_MS = 500 };

static bool is_there(const struct peer *peer) {
    unsigned char state = atomic_load(&peer->state);
    return state == STRANGER || state == GUEST;
}

/* Those that have gone and are still in libzmq are connections of a user too. */
static uint32_t connections_of(const struct party *user) { return user->open + user->left; }

/* Under the lock, where there are as many connections as there may be. Of the user who has the most, the
 * one that has been silent the longest makes room for somebody who has fewer, else the newest. Among
 * those who have as many only the silent ones do. Where the user with the most has only such as have gone,
 * these make room by themselves soon. */
static bool make_room_for(const struct party *own) {
    const struct party *most = own;
    for (struct party *user = NULL; (user = party_next(&guard.users, user));)
        if (connections_of(user) > connections_of(most)) most = user;
    bool has_fewer = connections_of(own) + 1 < connections_of(most);
    int silent = -1, newest = -1;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        const struct peer *peer = guard.peers + i;
        if (!is_there(peer)) continue;
        if (has_fewer ? peer->user != most : connections_of(peer->user) < connections_of(own))
            continue;
        if (newest < 0
            || atomic_load(&peer->accepted_ns) > atomic_load(&guard.peers[newest].accepted_ns))
            newest = i;
        if (atomic_load(&peer->state) != STRANGER) continue;
        if (silent < 0 || peer->accepted_ms < guard.peers[silent].accepted_ms) silent = i;
    }
    if (silent >= 0) end(silent, guard.peers + silent, PEER_GUARD_SILENT);
    else if (has_fewer && newest >= 0) end(newest, guard.peers + newest, PEER_GUARD_FULL);
    return silent >= 0 || has_fewer;
}

/* Under the lock. Whoever is silent the longest makes room for who has just come, so that nobody
 * can keep others out by silence. Of one process only so many may be silent, and they make room no
 * sooner than that: others need not wait behind a storm of it. */
static bool make_room(const struct party *user, int64_t pid) {
    uint32_t open = guard.count[STRANGER] + guard.count[GUEST] + (uint32_t)guard.legacy_count;
    /* Few are silent: nobody has too many. */
    if (guard.count[STRANGER] < guard.limits.strangers_of_one && open < guard.limits.connections)
        return true;
    int oldest = -1, oldest_own = -1;
    uint32_t own = 0;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        const struct peer *peer = guard.peers + i;
        if (atomic_load(&peer->state) != STRANGER) continue;
        if (oldest < 0 || peer->accepted_ms < guard.peers[oldest].accepted_ms) oldest = i;
        if (pid <= 0 || peer->pid != pid) continue;
        own++;
        if (oldest_own < 0 || peer->accepted_ms < guard.peers[oldest_own].accepted_ms)
            oldest_own = i;
    }
    if (own >= guard.limits.strangers_of_one) {
        if (less(now_ms(), guard.peers[oldest_own].accepted_ms) < PATIENCE_MS) return false;
        end(oldest_own, guard.peers + oldest_own, PEER_GUARD_SILENT);
        return true;
    }
    if (open >= guard.limits.connections) return make_room_for(user);
    if (guard.count[STRANGER] < guard.limits.strangers) return true;
    if (oldest < 0) return false;
    end(oldest, guard.peers + oldest, PEER_GUARD_SILENT);
    return true;
}

bool admit(int descriptor) {
    struct ucred who = {0};
    socklen_t size = sizeof who;
    /* Of tcp neither is known, and no process that is outside the daemon's namespace of process numbers. */
    bool is_known = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0
        && who.uid != (uid_t)-1;
    int64_t uid = is_known ? (int64_t)who.uid : -1;
    int64_t pid = is_known && who.pid > 0 ? (int64_t)who.pid : -1;
    pthread_mutex_lock(&guard.lock);
    struct party *user = party_join(&guard.users, uid), *process = party_join(&guard.processes, pid);
    /* Those that were ended and are not closed yet hold a descriptor too. */
    bool has_room = user && process && descriptor < guard.capacity - 8 && !has_left_much(pid)
        && !turnstile_is_full_of(pid) && make_room(user, pid);
    if (has_room) {
        struct peer *peer = guard.peers + descriptor;
        closed(peer);
        memset(peer, 0, sizeof *peer);
        peer->uid = uid;
        peer->pid = pid;
        peer->user = user;
        peer->process = process;
        peer->accepted_ms = now_ms();
        atomic_store(&peer->accepted_ns, now_ns());
        peer->stream.all_topics = &guard.topics;
        peer->stream.user_topics = &user->topics;
        sealed_admit(descriptor, peer);
        set_state(peer, STRANGER);
        if (descriptor >= atomic_load(&guard.end)) atomic_store(&guard.end, descriptor + 1);
    } else {
        party_leave(&guard.users, user);
        party_leave(&guard.processes, process);
        count_end(PEER_GUARD_FULL, uid, pid);
    }
    pthread_mutex_unlock(&guard.lock);
    return has_room;
}

/* ---- Messages ---- */

/* What of all connections waits for the daemon is known; of one, what it has sent since little was
 * waiting, less what the daemon has taken since. */
static bool waits_within_bounds(struct peer *peer, uint64_t finished) {
    struct inbox *inbox = guard.inboxes
        + (peer->stream.subscribes ? PEER_GUARD_SUBSCRIPTIONS : PEER_GUARD_REQUESTS);
    /* Only this thread writes it. */
    uint64_t arrived = atomic_load_explicit(&inbox->arrived, memory_order_relaxed) + finished;
    atomic_store_explicit(&inbox->arrived, arrived, memory_order_relaxed);
    uint64_t waiting = less(arrived, atomic_load_explicit(&inbox->taken, memory_order_relaxed));
    if (waiting <= guard.limits.all_waiting_bytes / 8) inbox->quiet++;
    if (peer->waiting_since != inbox->quiet) {
        peer->waiting_since = inbox->quiet;
        peer->waiting_bytes = 0;
        atomic_store_explicit(&peer->waiting_taken, 0, memory_order_relaxed);
    }
    peer->waiting_bytes += finished;
    uint64_t own = less(
        peer->waiting_bytes, atomic_load_explicit(&peer->waiting_taken, memory_order_relaxed));
    if (own > guard.limits.waiting_bytes) return false;
    uint64_t bound = held_bound(WAITING, guard.limits.all_waiting_bytes);
    if (waiting <= bound) return true;
    /* Then each has its share of a fourth of that: who sends little is not ended for others. Those that
     * have gone had theirs. */
    pthread_mutex_lock(&guard.lock);
    uint64_t sharers = 16 + guard.count[GUEST] + (uint64_t)guard.legacy_count;
    pthread_mutex_unlock(&guard.lock);
    return own <= bound / 4 / sharers;
}

/* Each PING has libzmq send at once, which costs the thread that reads everybody: so many at a time, and
 * one in so many milliseconds. A PONG costs a tenth. Those of a viewer that had to wait come together. */
static bool pings_seldom(struct peer *peer) {
    enum { PINGS = 20, PING_MS = 100, PONG_MS = 10 };
    uint64_t now = now_ms();
    uint64_t since = less(peer->unread_since_ms ? peer->unread_since_ms : now, PINGS * PING_MS);
    if (peer->pinged_ms < since) peer->pinged_ms = since;
    peer->pinged_ms += (uint64_t)peer->stream.pings * PING_MS + (uint64_t)peer->stream.pongs * PONG_MS;
    return peer->pinged_ms <= now;
}

void set_unfinished(struct peer *peer, uint64_t bytes) {
    uint64_t all = atomic_load_explicit(guard.held + UNFINISHED, memory_order_relaxed);
    hold(UNFINISHED, all + bytes - peer->unfinished_bytes);
    peer->unfinished_bytes = bytes;
}

/* Ends those whose message is unfinished the longest, until the rest is within the bound: whoever
 * means to finish does so soon. */
void end_unfinished(void) {
    uint64_t bound = held_bound(UNFINISHED, guard.limits.unfinished_bytes);
    while (atomic_load_explicit(guard.held + UNFINISHED, memory_order_relaxed) > bound) {
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

enum peer_guard_reason took(struct peer *peer, const uint8_t *bytes, size_t count) {
    struct peer_guard_stream *stream = &peer->stream;
    guard.limits.message_bytes = atomic_load_explicit(&guard.message_bytes, memory_order_relaxed);
    enum peer_guard_reason reason = peer_guard_stream_read(stream, &guard.limits, bytes, count);
    if (reason) return reason;
    if ((stream->pings || stream->pongs) && !pings_seldom(peer)) return PEER_GUARD_FLOOD;
    peer->unread_since_ms = 0;
    if (stream->finished_bytes && !waits_within_bounds(peer, stream->finished_bytes))
        return PEER_GUARD_FLOOD;
    if (stream->is_sealed && (reason = sealed_took(peer))) return reason;
    /* Nothing is unfinished, as before: so it is with nearly every request. */
    if (stream->bytes == 0 && peer->unfinished_bytes == 0) return PEER_GUARD_NONE;
    if (stream->bytes == 0)
        atomic_store_explicit(&peer->unfinished_since_ms, 0, memory_order_relaxed);
    else if (stream->finished_bytes || !peer->unfinished_bytes)
        atomic_store_explicit(&peer->unfinished_since_ms, now_ms(), memory_order_relaxed);
    if (stream->bytes != peer->unfinished_bytes) set_unfinished(peer, stream->bytes);
    return PEER_GUARD_NONE;
}

/* ---- Topics ---- */

static uint64_t cost_of(const struct peer_guard_all_topics *topics) {
    return topics->bytes + (uint64_t)topics->count * PEER_GUARD_TOPIC_COST;
}

uint64_t topics_bytes(void) { return cost_of(&guard.topics) + sealed_topics_bytes(); }

static bool has_too_many_subscriptions(void) {
    return guard.topics.subscriptions
        + atomic_load_explicit(&guard.sealed_subscriptions, memory_order_relaxed)
        > guard.limits.subscriptions;
}

/* Fewer while many viewers wait at the turnstile: each of their ends is a walk of all topics, and
 * those that have the most of these are why they wait. */
static uint64_t topics_bound(void) {
    int waiting = turnstile_waiting();
    return guard.limits.all_topics_bytes >> (waiting < 192 ? waiting / 64 : 3);
}

bool has_too_many_topics(void) {
    return topics_bytes() > topics_bound() || has_too_many_subscriptions();
}

/* Of each user's connections: the bytes of those that are ended, and the open one with the most. Gives
 * the bytes of all that are ended. */
static uint64_t look_at_shares(void) {
    uint64_t gone = 0;
    for (struct party *user = NULL; (user = party_next(&guard.users, user));)
        user->gone_bytes = user->most_bytes = 0;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        const struct peer *peer = guard.peers + i;
        uint64_t bytes = peer_guard_topics_bytes(&peer->stream) + sealed_coming(peer);
        if (bytes == 0) continue;
        if (atomic_load(&peer->state) == ENDED) {
            gone += bytes;
            peer->user->gone_bytes += bytes;
        } else if (bytes > peer->user->most_bytes) {
            peer->user->most_bytes = bytes;
            peer->user->worst = i;
        }
    }
    return gone;
}

/* The largest connection of the user who has the most different topics, or the most subscriptions;
 * -1: nobody has any. With one connection compared to another, who spreads his topics over many
 * would have others ended. A topic that many connections of a user have counts once: it costs once. */
static int worst_of(bool by_bytes) {
    int worst = -1;
    uint64_t most = 0;
    for (struct party *user = NULL; (user = party_next(&guard.users, user));) {
        if (user->most_bytes == 0) continue;
        uint64_t has = by_bytes ? cost_of(&user->topics) : user->topics.subscriptions;
        if (user->number == -1)
            has += by_bytes ? sealed_topics_bytes() : atomic_load(&guard.sealed_subscriptions);
        if (by_bytes) has = less(has, user->gone_bytes);
        if (worst >= 0 && has <= most) continue;
        most = has;
        worst = user->worst;
    }
    return worst;
}

/* Ends the largest connections of the users with the most of them. libzmq still has the topics of
 * one that is ended, until it is closed: these count, and need no second one to go for them. */
void end_most_topics(void) {
    /* The state thread changes the topics of encrypted connections. */
    pthread_mutex_lock(&guard.lock);
    for (;;) {
        uint64_t gone = look_at_shares();
        bool by_bytes = less(topics_bytes(), gone) > topics_bound();
        if (!by_bytes && (gone > 0 || !has_too_many_subscriptions())) break;
        int worst = worst_of(by_bytes);
        if (worst < 0) break;
        end(worst, guard.peers + worst, PEER_GUARD_TOPICS);
    }
    pthread_mutex_unlock(&guard.lock);
}

/* After each read of a viewer. What its connection had not brought yet is not let in where even
 * those that are ended leave no room. */
void bound_topics(int descriptor, struct peer *peer) {
    if (!has_too_many_topics()) return;
    end_most_topics();
    if (topics_bytes() > 2 * (uint64_t)guard.limits.all_topics_bytes)
        end_locking(descriptor, peer, PEER_GUARD_TOPICS);
}

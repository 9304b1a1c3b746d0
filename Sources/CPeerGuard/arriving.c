#include "arriving.h"

#include "sealed.h"

/* ---- Messages ---- */

/* How much of all connections waits for the daemon is known; of one, what it has sent since little was
 * waiting, less what the daemon has taken since. */
static bool waits_within_bounds(struct peer *peer, uint64_t finished) {
    enum peer_guard_inbox into =
        peer->stream.subscribes ? PEER_GUARD_SUBSCRIPTIONS : PEER_GUARD_REQUESTS;
    struct inbox *inbox = guard.inboxes + into;
    /* Only this thread writes it. */
    put(inbox->arrived, get(inbox->arrived) + finished);
    uint64_t waiting = waiting_in(into);
    if (waiting <= guard.limits.all_waiting_bytes / 8) inbox->quiet++;
    if (peer->waiting_since != inbox->quiet) {
        peer->waiting_since = inbox->quiet;
        peer->waiting_bytes = 0;
        put(peer->waiting_taken, 0);
    }
    peer->waiting_bytes += finished;
    uint64_t own = less(peer->waiting_bytes, get(peer->waiting_taken));
    if (own > guard.limits.waiting_bytes) return false;
    uint64_t bound = held_bound(WAITING, guard.limits.all_waiting_bytes);
    if (waiting <= bound) return true;
    /* Then each has its share of a fourth of that: one that sends little is not ended for others. Those that
     * have gone had theirs. */
    pthread_mutex_lock(&guard.lock);
    uint64_t sharers = 16 + guard.count[GUEST] + (uint64_t)guard.legacy_count;
    pthread_mutex_unlock(&guard.lock);
    return own <= bound / 4 / sharers;
}

static bool pings_seldom(struct peer *peer) {
    const struct peer_guard_stream *stream = &peer->stream;
    uint64_t now = now_ms(), cost = guard.limits.ping_ms;
    uint64_t since = less(
        peer->unread_since_ms ? peer->unread_since_ms : now, guard.limits.pings * cost);
    if (peer->pinged_ms < since) peer->pinged_ms = since;
    peer->pinged_ms += stream->pings * cost + stream->pongs * cost / 10;
    return peer->pinged_ms <= now;
}

void set_unfinished(struct peer *peer, uint64_t bytes) {
    put(guard.held[UNFINISHED], get(guard.held[UNFINISHED]) + bytes - peer->unfinished_bytes);
    peer->unfinished_bytes = bytes;
}

/* Ends those whose message is unfinished the longest, until the rest is within the bound: a sender that
 * means to finish does so soon. */
static void end_unfinished(void) {
    uint64_t bound = held_bound(UNFINISHED, guard.limits.unfinished_bytes);
    while (get(guard.held[UNFINISHED]) > bound) {
        struct peer *oldest = NULL;
        EACH_PEER(peer) {
            if (!peer->unfinished_bytes) continue;
            if (!oldest || get(peer->unfinished_since_ms) < get(oldest->unfinished_since_ms)) oldest = peer;
        }
        if (!oldest) return;
        set_unfinished(oldest, 0);
        end_locking(oldest, PEER_GUARD_MESSAGE);
    }
}

/* ---- Topics of all; under the lock ---- */

static uint64_t topics_bytes(void) {
    return peer_guard_topics_bytes(&guard.topics) + sealed_all_coming();
}

uint64_t walked_bytes(void) { return guard.topics.bytes + sealed_all_coming(); }

/* Fewer while many viewers wait at the turnstile: each of their ends is a walk of all topics, and
 * those that have the most of these are why they wait. */
static uint64_t topics_bound(void) {
    return guard.limits.all_topics_bytes >> (guard.parked < 192 ? guard.parked / 64 : 3);
}

static bool has_too_many_subscriptions(void) {
    return guard.topics.subscriptions > guard.limits.subscriptions;
}

bool has_too_many_topics(void) {
    pthread_mutex_lock(&guard.lock);
    bool has = topics_bytes() > topics_bound() || has_too_many_subscriptions();
    pthread_mutex_unlock(&guard.lock);
    return has;
}

/* For each user, the bytes of the connections that are ended, and the open one with the most. Gives
 * the bytes of all that are ended. */
static uint64_t look_at_shares(void) {
    uint64_t gone = 0;
    for (struct party *user = guard.users; user; user = user->next)
        user->gone_bytes = user->most_bytes = 0;
    EACH_PEER(peer) {
        if (get(peer->state) == UNKNOWN) continue;
        uint64_t bytes = peer_guard_topics_bytes(&peer->stream.topics) + sealed_coming(peer);
        if (get(peer->state) == ENDED) {
            gone += bytes;
            peer->user->gone_bytes += bytes;
        } else if (bytes > peer->user->most_bytes) {
            peer->user->most_bytes = bytes;
            peer->user->worst = peer;
        }
    }
    return gone;
}

/* The largest connection of the user who has the most different topics, or the most subscriptions;
 * NULL: nobody has any. With one connection compared to another, a user who spreads his topics over many
 * would have others ended. A topic that many connections of a user have counts once: it costs once. */
static struct peer *worst_of(bool by_bytes) {
    struct peer *worst = NULL;
    uint64_t most = 0;
    for (const struct party *user = guard.users; user; user = user->next) {
        if (user->most_bytes == 0) continue;
        uint64_t has = by_bytes ? peer_guard_topics_bytes(&user->topics) : user->topics.subscriptions;
        /* All encrypted ones came by tcp. */
        if (by_bytes && user->number == -1) has += sealed_all_coming();
        if (by_bytes) has = less(has, user->gone_bytes);
        if (worst && has <= most) continue;
        most = has;
        worst = user->worst;
    }
    return worst;
}

/* libzmq still has the topics of a connection that is ended, until it is closed: these count, and need no second
 * one to go for them. */
void end_most_topics(void) {
    pthread_mutex_lock(&guard.lock);
    for (;;) {
        uint64_t gone = look_at_shares();
        bool by_bytes = less(topics_bytes(), gone) > topics_bound();
        if (!by_bytes && (gone > 0 || !has_too_many_subscriptions())) break;
        struct peer *worst = worst_of(by_bytes);
        if (!worst) break;
        end(worst, PEER_GUARD_TOPICS);
    }
    pthread_mutex_unlock(&guard.lock);
}

/* ---- What has come ---- */

static enum peer_guard_reason fault_in(struct peer *peer, const uint8_t *bytes, size_t count) {
    struct peer_guard_stream *stream = &peer->stream;
    guard.limits.message_bytes = get(guard.message_bytes);
    /* A viewer's may be topics, which are counted with those of others. */
    bool subscribes = stream->subscribes;
    if (subscribes) pthread_mutex_lock(&guard.lock);
    enum peer_guard_reason reason = peer_guard_stream_read(stream, &guard.limits, bytes, count);
    if (subscribes) pthread_mutex_unlock(&guard.lock);
    if (reason) return reason;
    if ((stream->pings || stream->pongs) && !pings_seldom(peer)) return PEER_GUARD_FLOOD;
    peer->unread_since_ms = 0;
    if (stream->finished_bytes && !waits_within_bounds(peer, stream->finished_bytes))
        return PEER_GUARD_FLOOD;
    if (stream->is_sealed && (reason = sealed_took(peer))) return reason;
    /* Nothing is unfinished, as before: so it is with nearly every request. */
    if (stream->bytes == 0 && peer->unfinished_bytes == 0) return PEER_GUARD_NONE;
    if (stream->bytes == 0) put(peer->unfinished_since_ms, 0);
    else if (stream->finished_bytes || !peer->unfinished_bytes) put(peer->unfinished_since_ms, now_ms());
    set_unfinished(peer, stream->bytes);
    return PEER_GUARD_NONE;
}

bool took(struct peer *peer, const uint8_t *bytes, size_t count) {
    enum peer_guard_reason reason = fault_in(peer, bytes, count);
    if (reason) {
        end_locking(peer, reason);
        return false;
    }
    if (get(peer->state) == STRANGER && peer->stream.is_guest) {
        pthread_mutex_lock(&guard.lock);
        if (get(peer->state) == STRANGER) set_state(peer, GUEST);
        pthread_mutex_unlock(&guard.lock);
    }
    if (peer->unfinished_bytes) end_unfinished();
    /* New topics are not let in where even those that are ended leave no room. */
    if (peer->stream.subscriptions > 0 && has_too_many_topics()) {
        end_most_topics();
        pthread_mutex_lock(&guard.lock);
        if (topics_bytes() > 2 * (uint64_t)guard.limits.all_topics_bytes) end(peer, PEER_GUARD_TOPICS);
        pthread_mutex_unlock(&guard.lock);
    }
    return get(peer->state) != ENDED;
}

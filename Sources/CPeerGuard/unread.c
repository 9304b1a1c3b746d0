#include "unread.h"

#include "sealed.h"

/* The bytes given less those that went out since, and those that libzmq needs besides for so many replies.
 * Replies that were not counted, between those that were, count as sent too: it may be too little
 * by what the kernel holds of them. */
static uint64_t unread_replies(const struct peer *peer) {
    /* Read once: the I/O thread clears it when another connection gets the descriptor. */
    const uint64_t replied = get(peer->replied);
    if (replied == 0) return 0;
    uint64_t unread = less(replied, get(peer->sent) - get(peer->replied_sent));
    return unread + get(peer->replies) * PEER_GUARD_REPLY_COST * unread / replied;
}

/* The bytes that libzmq holds of them. It holds all of the one that is on its way. */
static uint64_t held_replies(const struct peer *peer) {
    uint64_t unread = unread_replies(peer);
    return unread == 0 ? 0 : unread + get(peer->largest);
}

/* ---- The I/O thread ---- */

void unread_sent(struct peer *peer, int64_t count, size_t size) {
    /* Only this thread writes these. */
    atomic_ullong *sends = guard.sends + peer->stream.subscribes;
    put(*sends, get(*sends) + 1);
    if (count > 0) put(peer->sent, get(peer->sent) + (uint64_t)count);
    bool is_blocked = count < 0 || (size_t)count < size;
    if (!is_blocked || get(peer->is_blocked)) return;
    put(peer->blocked_sent, get(peer->sent));
    put(peer->blocked_published, get(guard.published));
    put(peer->blocked_ms, now_ms());
    atomic_store(&peer->is_blocked, true);
    if (!peer->stream.subscribes) atomic_fetch_add(&guard.blocked_askers, 1);
}

void unread_none(struct peer *peer) {
    if (!get(peer->is_blocked)) return;
    atomic_store(&peer->is_blocked, false);
    if (!peer->stream.subscribes) atomic_fetch_sub(&guard.blocked_askers, 1);
}

void unread_left(const struct peer *peer) {
    const struct inbox *requests = guard.inboxes + PEER_GUARD_REQUESTS;
    uint64_t bytes = held_replies(peer);
    /* How much of it was taken in is known where it was crowded. */
    bool has_waiting =
        peer->waiting_since == requests->quiet && peer->waiting_bytes > get(peer->waiting_taken);
    if (bytes == 0 && !has_waiting) return;
    if (guard.legacy_count < PEER_GUARD_LEFT) guard.legacy_count++;
    struct legacy *last = guard.legacies + (guard.first_legacy + guard.legacy_count - 1) % PEER_GUARD_LEFT;
    last->arrived = get(requests->arrived);
    last->bytes += bytes;
    if (!last->user) {
        last->user = peer->user;
        last->process = peer->process;
        last->user->connections++;
        last->user->left++;
        last->process->connections++;
        last->process->left++;
    }
    atomic_fetch_add(&guard.legacy_bytes, bytes);
    if (guard.legacy_count == 1) put(guard.next_legacy, last->arrived);
}

/* ---- The state thread: what it took in ---- */

/* Whether all replies that are not read, with those that are left, were too many at the last look. */
static bool is_too_much;

static void let_go(uint64_t taken) {
    if (get(guard.next_legacy) > taken) return;
    pthread_mutex_lock(&guard.lock);
    for (; guard.legacy_count > 0; guard.legacy_count--) {
        struct legacy *first = guard.legacies + guard.first_legacy;
        if (first->arrived > taken) break;
        atomic_fetch_sub(&guard.legacy_bytes, first->bytes);
        first->user->left--;
        first->process->left--;
        party_leave(&guard.users, first->user);
        party_leave(&guard.processes, first->process);
        *first = (struct legacy){0};
        guard.first_legacy = (guard.first_legacy + 1) % PEER_GUARD_LEFT;
    }
    put(guard.next_legacy, guard.legacy_count ? guard.legacies[guard.first_legacy].arrived : UINT64_MAX);
    pthread_mutex_unlock(&guard.lock);
    is_too_much = false;
}

uint64_t peer_guard_arrived(enum peer_guard_inbox inbox) { return get(guard.inboxes[inbox].arrived); }

bool peer_guard_is_crowded(void) {
    return waiting_in(PEER_GUARD_REQUESTS) > guard.limits.all_waiting_bytes / 8;
}

void peer_guard_took(
    enum peer_guard_inbox inbox, uint64_t frames, uint64_t bytes, int descriptor) {
    struct inbox *from = guard.inboxes + inbox;
    bytes += frames * PEER_GUARD_FRAME_COST;
    struct peer *peer = peer_of(descriptor);
    if (peer) atomic_fetch_add_explicit(&peer->waiting_taken, bytes, memory_order_relaxed);
    /* `drained` may have counted it already, before libzmq handed it on: no more is taken than
     * arrived. */
    uint64_t taken = get(from->taken) + bytes, arrived = get(from->arrived);
    if (taken > arrived) taken = arrived;
    put(from->taken, taken);
    if (inbox == PEER_GUARD_REQUESTS) let_go(taken);
}

/* Messages of a connection that ended in between never come: they count as taken here. */
void peer_guard_drained(enum peer_guard_inbox inbox, uint64_t arrived) {
    struct inbox *from = guard.inboxes + inbox;
    if (get(from->taken) < arrived) put(from->taken, arrived);
    if (inbox == PEER_GUARD_REQUESTS) let_go(arrived);
}

/* ---- The state thread: replies ---- */

bool peer_guard_turn(void) {
    put(guard.turns, get(guard.turns) + 1);
    return get(guard.blocked_askers) > 0;
}

static void forget_replies(struct peer *peer) {
    put(peer->replied, 0);
    put(peer->replies, 0);
    put(peer->largest, 0);
    put(peer->replied_sent, get(peer->sent));
}

/* If open connections have too much, this ends one: the one that has read nothing for the longest time, or,
 * where all have read something since they had too much, the one that has the most to read. Whether it did. */
static bool end_who_reads_least(void) {
    uint64_t all = get(guard.legacy_bytes), gone = all, most = 0, since = UINT64_MAX;
    struct peer *worst = NULL;
    EACH_PEER(peer) {
        enum state state = state_of(peer);
        uint64_t held = state == UNKNOWN ? 0 : held_replies(peer);
        if (held == 0) continue;
        all += held;
        if (state == ENDED) gone += held;
        if (state != GUEST || !atomic_load(&peer->is_blocked)) continue;
        bool has_read = get(peer->sent) != get(peer->blocked_sent);
        uint64_t own = has_read ? UINT64_MAX : get(peer->blocked_ms);
        if (own > since || (own == since && held <= most)) continue;
        most = held;
        since = own;
        worst = peer;
    }
    put(guard.held[REPLIES], all);
    uint64_t bound = held_bound(REPLIES, guard.limits.all_unread_replies);
    is_too_much = all > bound;
    if (!worst || less(all, gone) <= bound) return false;
    end_locking(worst, PEER_GUARD_UNREAD);
    return true;
}

/* A few at a time: others wait meanwhile. */
static void bound_replies_of_all(void) {
    for (int tries = 0; tries < 16 && end_who_reads_least(); tries++) continue;
}

/* A later connection has the descriptor, and may not have asked anything yet. `connection` is when the
 * one was let in; 0: not known. */
static bool is_another(const struct peer *peer, uint64_t connection) {
    return connection && connection <= get(peer->accepted_ns);
}

bool peer_guard_reads(int descriptor, uint64_t connection) {
    const struct peer *peer = peer_of(descriptor);
    return !peer || is_another(peer, connection) || connection != peer->connection
        || unread_replies(peer) <= guard.limits.unread_replies;
}

bool peer_guard_may_reply(int descriptor, uint64_t connection, uint64_t bytes) {
    struct peer *peer = peer_of(descriptor);
    if (!peer) return true;
    /* The descriptor had another connection: nobody reads this reply any more, or nobody reads
     * those that were counted. */
    if (is_another(peer, connection) || connection < peer->connection) return true;
    if (connection > peer->connection) {
        peer->connection = connection;
        forget_replies(peer);
    }
    /* To look at all takes time: not for each small one. Refused ones count too, since those that had
     * too much may have read it. */
    static uint64_t since;
    since += bytes + PEER_GUARD_REPLY_COST;
    if (since >= guard.limits.all_unread_replies / 64) {
        since = 0;
        bound_replies_of_all();
    }
    uint64_t unread = unread_replies(peer);
    if (unread > (is_too_much ? guard.limits.few_replies : guard.limits.unread_replies)) return false;
    if (unread == 0) forget_replies(peer);
    atomic_fetch_add_explicit(&peer->replied, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&peer->replies, 1, memory_order_relaxed);
    if (bytes > get(peer->largest)) put(peer->largest, bytes);
    return true;
}

/* ---- The state thread: publications ---- */

void peer_guard_published(uint64_t bytes) { put(guard.published, get(guard.published) + bytes); }

uint64_t peer_guard_sends(bool to_viewers) { return get(guard.sends[to_viewers]); }

/* The bytes published that a viewer has not read. */
static uint64_t owed(const struct peer *peer) {
    if (!atomic_load(&peer->is_blocked)) return 0;
    return less(
        get(guard.published) - get(peer->blocked_published), get(peer->sent) - get(peer->blocked_sent));
}

/* A viewer that reads nothing goes when the bound is reached; one that reads slowly has four times
 * as much, since the publications counted may not all be its own. */
static uint64_t owed_bound(uint64_t read) {
    uint64_t bound = guard.limits.unread_publications;
    return read > bound / 128 ? held_bound(PUBLICATIONS, 4 * bound) : bound;
}

void peer_guard_look(void) {
    uint64_t now = now_ms(), most_owed = 0;
    bound_replies_of_all();
    pthread_mutex_lock(&guard.lock);
    sealed_look(now);
    EACH_PEER(peer) {
        if (get(peer->state) != GUEST) continue;
        uint64_t began = get(peer->unfinished_since_ms);
        if (began && less(now, began) > guard.limits.unfinished_ms) end(peer, PEER_GUARD_MESSAGE);
        if (!peer->stream.subscribes) {
            if (!atomic_load(&peer->is_blocked)) forget_replies(peer);
            continue;
        }
        uint64_t bytes = owed(peer), sent = get(peer->sent), read = sent - peer->looked_sent;
        peer->looked_sent = sent;
        if (bytes > owed_bound(read)) end(peer, PEER_GUARD_UNREAD);
        else if (bytes > most_owed) most_owed = bytes;
    }
    put(guard.held[PUBLICATIONS], most_owed);
    pthread_mutex_unlock(&guard.lock);
    give_back(now);
}

/* Bounds on what connections do not read. libzmq's I/O thread says what went out; the state thread
 * counts what it gave, and decides. */

#include "peers.h"

enum { FEW_REPLIES = 256 << 10 };

/* What was given less what went out since, and what libzmq needs besides for so many replies.
 * Replies that were not counted, between those that were, count as sent too: it may be too little
 * by what the kernel holds of them. */
static uint64_t unread_replies(const struct peer *peer) {
    /* Read once: the I/O thread clears it when another connection gets the descriptor. */
    const uint64_t replied = atomic_load_explicit(&peer->replied, memory_order_relaxed);
    if (replied == 0) return 0;
    uint64_t sent = atomic_load_explicit(&peer->sent, memory_order_relaxed)
        - atomic_load_explicit(&peer->replied_sent, memory_order_relaxed);
    uint64_t replies = atomic_load_explicit(&peer->replies, memory_order_relaxed);
    uint64_t unread = less(replied, sent);
    return unread + replies * PEER_GUARD_REPLY_COST * unread / replied;
}

/* What libzmq holds of them: of the one that is on its way all. */
static uint64_t held_replies(const struct peer *peer) {
    uint64_t unread = unread_replies(peer);
    if (unread == 0) return 0;
    return unread + atomic_load_explicit(&peer->largest, memory_order_relaxed);
}

/* ---- The I/O thread ---- */

void unread_sent(struct peer *peer, int64_t count, size_t size) {
    /* Only this thread writes it. */
    atomic_ullong *sends = guard.sends + peer->stream.subscribes;
    atomic_store_explicit(
        sends, atomic_load_explicit(sends, memory_order_relaxed) + 1, memory_order_relaxed);
    uint64_t sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
    if (count > 0) {
        sent += (uint64_t)count;
        atomic_store_explicit(&peer->sent, sent, memory_order_relaxed);
    }
    bool is_blocked = count < 0 || (size_t)count < size;
    if (!is_blocked || atomic_load_explicit(&peer->is_blocked, memory_order_relaxed)) return;
    uint64_t published = atomic_load_explicit(&guard.published, memory_order_relaxed);
    atomic_store_explicit(&peer->blocked_sent, sent, memory_order_relaxed);
    atomic_store_explicit(&peer->blocked_published, published, memory_order_relaxed);
    atomic_store_explicit(&peer->blocked_ms, now_ms(), memory_order_relaxed);
    atomic_store_explicit(&peer->is_blocked, true, memory_order_release);
    if (!peer->stream.subscribes) atomic_fetch_add(&guard.blocked_askers, 1);
}

/* libzmq has nothing more for the peer: not only a send that the kernel took as a whole. So somebody
 * who always reads a little, and less than comes, stays blocked. */
void unread_none(struct peer *peer) {
    if (!atomic_load_explicit(&peer->is_blocked, memory_order_relaxed)) return;
    atomic_store_explicit(&peer->is_blocked, false, memory_order_release);
    if (!peer->stream.subscribes) atomic_fetch_sub(&guard.blocked_askers, 1);
}

/* Under the lock. Where the ring is full the youngest takes it in, and all of it waits as long. */
void unread_left(const struct peer *peer) {
    uint64_t bytes = held_replies(peer);
    /* What of it was taken in is known where it was crowded. */
    bool has_waiting = peer->waiting_since == guard.inboxes[PEER_GUARD_REQUESTS].quiet
        && peer->waiting_bytes
            > atomic_load_explicit(&peer->waiting_taken, memory_order_relaxed);
    if (bytes == 0 && !has_waiting) return;
    if (guard.legacy_count < LEGACIES) guard.legacy_count++;
    struct legacy *last =
        guard.legacies + (guard.first_legacy + guard.legacy_count - 1) % LEGACIES;
    last->arrived = atomic_load(&guard.inboxes[PEER_GUARD_REQUESTS].arrived);
    last->bytes += bytes;
    if (!last->user) {
        last->user = peer->user;
        last->user->connections++;
        last->user->left++;
    }
    last->pid = peer->pid;
    atomic_fetch_add(&guard.legacy_bytes, bytes);
    if (guard.legacy_count == 1) atomic_store(&guard.next_legacy, last->arrived);
}

/* Under the lock. Whether a process has left so many connections whose requests wait that no other of
 * it is let in: libzmq gives each of them a turn, and keeps its memory. All of tcp, and all processes that are
 * not known, are one. */
bool has_left_much(int64_t pid) {
    if (guard.legacy_count < LEGACIES / 8) return false;
    int own = 0;
    for (int i = 0; i < guard.legacy_count; i++)
        own += guard.legacies[(guard.first_legacy + i) % LEGACIES].pid == pid;
    if (pid <= 0) return own >= LEGACIES / 4;
    return own >= (guard.legacy_count < LEGACIES / 2 ? LEGACIES / 16 : LEGACIES / 64);
}

/* ---- The state thread: what arrived ---- */

/* Whether all replies that are not read, with those that are left, are too many; as of the last look
 * at all. */
static bool is_too_much;

static void let_go(uint64_t taken) {
    if (atomic_load_explicit(&guard.next_legacy, memory_order_relaxed) > taken) return;
    pthread_mutex_lock(&guard.lock);
    for (; guard.legacy_count > 0; guard.legacy_count--) {
        struct legacy *first = guard.legacies + guard.first_legacy;
        if (first->arrived > taken) break;
        atomic_fetch_sub(&guard.legacy_bytes, first->bytes);
        first->bytes = 0;
        first->user->left--;
        party_leave(&guard.users, first->user);
        first->user = NULL;
        guard.first_legacy = (guard.first_legacy + 1) % LEGACIES;
    }
    uint64_t next = guard.legacy_count ? guard.legacies[guard.first_legacy].arrived : UINT64_MAX;
    atomic_store(&guard.next_legacy, next);
    pthread_mutex_unlock(&guard.lock);
    is_too_much = false;
}

void peer_guard_published(uint64_t bytes) {
    uint64_t published = atomic_load_explicit(&guard.published, memory_order_relaxed);
    atomic_store_explicit(&guard.published, published + bytes, memory_order_relaxed);
}

uint64_t peer_guard_sends(bool to_viewers) {
    return atomic_load_explicit(&guard.sends[to_viewers], memory_order_relaxed);
}

uint64_t peer_guard_arrived(enum peer_guard_inbox inbox) {
    return atomic_load_explicit(&guard.inboxes[inbox].arrived, memory_order_relaxed);
}

bool peer_guard_is_crowded(void) {
    const struct inbox *inbox = guard.inboxes + PEER_GUARD_REQUESTS;
    uint64_t arrived = atomic_load_explicit(&inbox->arrived, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&inbox->taken, memory_order_relaxed);
    return less(arrived, taken) > guard.limits.all_waiting_bytes / 8;
}

void peer_guard_took(
    enum peer_guard_inbox inbox, uint64_t frames, uint64_t bytes, int descriptor) {
    struct inbox *from = guard.inboxes + inbox;
    uint64_t taken = atomic_load_explicit(&from->taken, memory_order_relaxed);
    bytes += frames * PEER_GUARD_FRAME_COST;
    taken += bytes;
    struct peer *peer = peer_of(descriptor);
    if (peer) atomic_fetch_add_explicit(&peer->waiting_taken, bytes, memory_order_relaxed);
    /* `drained` may have counted it already, before libzmq handed it on: no more is taken than
     * arrived. */
    uint64_t arrived = atomic_load_explicit(&from->arrived, memory_order_relaxed);
    if (taken > arrived) taken = arrived;
    atomic_store_explicit(&from->taken, taken, memory_order_relaxed);
    if (inbox == PEER_GUARD_REQUESTS) let_go(taken);
}

/* Messages of a connection that ended in between never come: they count as taken here. */
void peer_guard_drained(enum peer_guard_inbox inbox, uint64_t arrived) {
    struct inbox *from = guard.inboxes + inbox;
    if (atomic_load_explicit(&from->taken, memory_order_relaxed) < arrived)
        atomic_store_explicit(&from->taken, arrived, memory_order_relaxed);
    if (inbox == PEER_GUARD_REQUESTS) let_go(arrived);
}

/* ---- The state thread: replies ---- */

bool peer_guard_turn(void) {
    uint64_t turns = atomic_load_explicit(&guard.turns, memory_order_relaxed);
    atomic_store_explicit(&guard.turns, turns + 1, memory_order_relaxed);
    return atomic_load_explicit(&guard.blocked_askers, memory_order_relaxed) > 0;
}

static void forget_replies(struct peer *peer) {
    uint64_t sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
    atomic_store_explicit(&peer->replied, 0, memory_order_relaxed);
    atomic_store_explicit(&peer->replies, 0, memory_order_relaxed);
    atomic_store_explicit(&peer->largest, 0, memory_order_relaxed);
    atomic_store_explicit(&peer->replied_sent, sent, memory_order_relaxed);
}

/* Where those that are there have too much, ends one: who has read nothing for the longest time, or,
 * where all have read something since they had too much, who has the most to read. Whether it did. */
static bool end_who_reads_least(void) {
    uint64_t all = atomic_load_explicit(&guard.legacy_bytes, memory_order_relaxed);
    uint64_t gone = all, most = 0, since = UINT64_MAX;
    int worst = -1;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        const struct peer *peer = peer_of(i);
        uint64_t held = peer ? held_replies(peer) : 0;
        if (held == 0) continue;
        all += held;
        if (atomic_load(&peer->state) == ENDED) gone += held;
        if (atomic_load(&peer->state) != GUEST || !atomic_load(&peer->is_blocked)) continue;
        bool has_read = atomic_load(&peer->sent) != atomic_load(&peer->blocked_sent);
        uint64_t own = has_read ? UINT64_MAX : atomic_load(&peer->blocked_ms);
        if (own > since || (own == since && held <= most)) continue;
        most = held;
        since = own;
        worst = i;
    }
    hold(REPLIES, all);
    uint64_t bound = held_bound(REPLIES, guard.limits.all_unread_replies);
    is_too_much = all > bound;
    if (worst < 0 || less(all, gone) <= bound) return false;
    end_locking(worst, guard.peers + worst, PEER_GUARD_UNREAD);
    return true;
}

/* A few at a time: others wait meanwhile. */
static void bound_replies_of_all(void) {
    for (int tries = 0; tries < 16 && end_who_reads_least(); tries++) continue;
}

/* A later connection has the descriptor, and may not have asked anything yet. `connection` is when the
 * one was let in; 0: not known. */
static bool is_another(const struct peer *peer, uint64_t connection) {
    return connection && connection <= atomic_load_explicit(&peer->accepted_ns, memory_order_relaxed);
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
    /* Where all have too much, who reads gets its replies, and others only a few. */
    if (unread > (is_too_much ? FEW_REPLIES : guard.limits.unread_replies)) return false;
    if (unread == 0) forget_replies(peer);
    atomic_fetch_add_explicit(&peer->replied, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&peer->replies, 1, memory_order_relaxed);
    if (bytes > atomic_load_explicit(&peer->largest, memory_order_relaxed))
        atomic_store_explicit(&peer->largest, bytes, memory_order_relaxed);
    return true;
}

/* ---- The state thread: publications ---- */

/* What was published that a viewer has not read. */
static uint64_t owed(const struct peer *peer) {
    if (!atomic_load_explicit(&peer->is_blocked, memory_order_acquire)) return 0;
    uint64_t sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
    return less(
        atomic_load_explicit(&guard.published, memory_order_relaxed)
            - atomic_load_explicit(&peer->blocked_published, memory_order_relaxed),
        sent - atomic_load_explicit(&peer->blocked_sent, memory_order_relaxed));
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
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        struct peer *peer = guard.peers + i;
        if (atomic_load(&peer->state) != GUEST) continue;
        uint64_t began = atomic_load_explicit(&peer->unfinished_since_ms, memory_order_relaxed);
        if (began && less(now, began) > guard.limits.unfinished_ms) end(i, peer, PEER_GUARD_MESSAGE);
        if (!peer->stream.subscribes) {
            if (!atomic_load_explicit(&peer->is_blocked, memory_order_acquire)) forget_replies(peer);
            continue;
        }
        uint64_t looked_sent = peer->looked_sent, bytes = owed(peer);
        peer->looked_sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
        if (bytes > owed_bound(peer->looked_sent - looked_sent)) end(i, peer, PEER_GUARD_UNREAD);
        else if (bytes > most_owed) most_owed = bytes;
    }
    hold(PUBLICATIONS, most_owed);
    pthread_mutex_unlock(&guard.lock);
    give_back(now);
}

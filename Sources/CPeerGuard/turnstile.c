/* Viewers take turns. What they subscribe to, and most of all their end, is work on the state thread
 * that libzmq does at once, however many come or go: at a viewer's end it walks all topics there are.
 * So the work is estimated here, and while there is much of it no viewer is read: its bytes, or its
 * end, wait in the kernel. Nobody else waits for it, and what is published goes out meanwhile. */

#include "peers.h"

#include <poll.h>

enum {
    /* Nanoseconds, measured with libzmq 4.3.4: a subscription, a viewer's end, and what that takes
     * for each byte of different topics, which stand in two tries (XPUB_MANUAL). */
    SUBSCRIPTION = 5000,
    END = 20000,
    END_PER_BYTE = 440,
    /* So much work at a time; it may take one part in so many of the time. */
    MOST_WORK = 5000000,
    /* No more is reckoned with: some ends cost nothing, and it must not be long until the next. */
    RECKONED_WORK = 50000000,
    SHARE = 3,
    /* After so many of the daemon's turns the work of before is done, and others had theirs; or after
     * so long, where nobody asks for anything. */
    TURNS = 2,
    IDLE_MS = 40,
};

static struct {
    int parked;
    uint64_t number;
    /* Estimated work that is not done yet, as of a time. */
    uint64_t work;
    uint64_t work_ms;
    /* What of it was given since a turn of the daemon, and a time. */
    uint64_t given;
    uint64_t given_turn;
    uint64_t given_ms;
} turnstile;

static bool is_busy(void) {
    uint64_t now = now_ms(), passed = now - turnstile.work_ms;
    turnstile.work_ms = now;
    turnstile.work = passed > 1000 ? 0 : less(turnstile.work, passed * 1000000 / SHARE);
    uint64_t turn = atomic_load_explicit(&guard.turns, memory_order_relaxed);
    if (turn - turnstile.given_turn >= TURNS || now - turnstile.given_ms >= IDLE_MS)
        turnstile.given = 0;
    return turnstile.work > MOST_WORK || turnstile.given > MOST_WORK;
}

static void give(uint64_t work) {
    turnstile.work += work;
    if (turnstile.work > RECKONED_WORK) turnstile.work = RECKONED_WORK;
    turnstile.given += work;
    turnstile.given_turn = atomic_load_explicit(&guard.turns, memory_order_relaxed);
    turnstile.given_ms = now_ms();
}

/* What epoll is to report. Of a viewer that waits: that it has gone, and that once. */
uint32_t turnstile_masks(const struct peer *peer, uint32_t events) {
    if (!peer->is_parked) return events;
    return peer->is_over ? EPOLLET : (events & ~(uint32_t)EPOLLIN) | EPOLLRDHUP;
}

static bool has_gone(int descriptor) {
    struct pollfd look = {.fd = descriptor, .events = POLLRDHUP};
    return poll(&look, 1, 0) > 0;
}

static bool has_ended(const struct peer *peer) {
    return peer->is_over || atomic_load(&peer->state) == ENDED;
}

bool turnstile_lets(int descriptor, struct peer *peer) {
    /* Ends come before subscriptions: they make room. */
    bool is_full = !has_ended(peer) && (has_too_many_topics() || sealed_waits(peer));
    if (!interest_knows_epoll() || (!is_full && !is_busy())) {
        if (peer->is_parked) {
            turnstile_forget(peer);
            interest_tell(descriptor, peer);
        }
        return true;
    }
    if (!peer->is_parked) {
        peer->is_parked = true;
        peer->parked_number = ++turnstile.number;
        if (!peer->unread_since_ms) peer->unread_since_ms = now_ms();
        turnstile.parked++;
        peer->process->waiting++;
        interest_tell(descriptor, peer);
    } else if (!peer->is_over && has_gone(descriptor)) {
        peer->is_over = true;
        interest_tell(descriptor, peer);
    }
    return false;
}

void turnstile_subscribed(struct peer *peer) {
    if (peer->stream.subscriptions) give((uint64_t)peer->stream.subscriptions * SUBSCRIPTION);
}

/* What topics take besides their bytes is not walked. */
void turnstile_ended(void) {
    uint64_t bytes = topics_bytes() - (uint64_t)guard.topics.count * PEER_GUARD_TOPIC_COST;
    give(END + bytes * END_PER_BYTE);
}

void turnstile_forget(struct peer *peer) {
    if (!peer->is_parked) return;
    peer->is_parked = false;
    turnstile.parked--;
    peer->process->waiting--;
}

int turnstile_waiting(void) { return turnstile.parked; }

/* Those that have ended are read first, since they make room; and as often one that comes: in turns
 * of the process of which the fewest wait, so that nobody keeps others out by coming and going, and
 * who waits the longest. */
static void let_next(void) {
    static unsigned passes;
    bool wants_end = passes % 2 == 0, wants_few = passes % 4 == 1;
    int next = -1;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        const struct peer *peer = guard.peers + i, *best = next < 0 ? peer : guard.peers + next;
        if (!peer->is_parked || atomic_load(&peer->state) == UNKNOWN) continue;
        bool is_better = next < 0 || peer->parked_number < best->parked_number;
        if (wants_few && peer->process->waiting != best->process->waiting)
            is_better = peer->process->waiting < best->process->waiting;
        bool fits = has_ended(peer) == wants_end;
        if (next >= 0 && fits != (has_ended(best) == wants_end)) is_better = fits;
        if (is_better) next = i;
    }
    passes++;
    if (next < 0) return;
    turnstile_forget(guard.peers + next);
    interest_tell(next, guard.peers + next);
}

/* Under the lock. Whether a process has so many viewers here that have gone that no other connection
 * of it is let in: they hold their place until their turn, and there are only so many for all. All of
 * tcp, and all processes that are not known, are one. */
bool turnstile_is_full_of(int64_t pid) {
    uint32_t places = guard.limits.connections, gone = 0, own = 0;
    if ((uint32_t)turnstile.parked < places / 4) return false;
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
        const struct peer *peer = guard.peers + i;
        if (!peer->is_parked || !has_ended(peer)) continue;
        gone++;
        own += peer->pid == pid;
    }
    if (gone < places / 4) return false;
    if (pid <= 0) return own >= places / 4;
    return own > (gone < places / 2 ? places / 16 : places / 64);
}

/* Lets the next pass if there is time for it; gives whether somebody waits still. */
bool turnstile_let_next(void) {
    if (turnstile.parked == 0) return false;
    if (has_too_many_topics()) end_most_topics();
    if (!is_busy()) let_next();
    return turnstile.parked > 0;
}

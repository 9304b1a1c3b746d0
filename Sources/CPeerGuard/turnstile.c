#include "turnstile.h"

#include "arriving.h"
#include "sealed.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

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

int turnstile_epoll = -1;

static struct {
    uint64_t number;
    /* Estimated work that is not done yet, at a time. */
    uint64_t work, work_ms;
    /* How much of it was given since a turn of the daemon, and a time. */
    uint64_t given, given_turn, given_ms;
} turnstile;

static bool is_busy(void) {
    uint64_t now = now_ms(), passed = now - turnstile.work_ms;
    turnstile.work_ms = now;
    turnstile.work = passed > 1000 ? 0 : less(turnstile.work, passed * 1000000 / SHARE);
    if (get(guard.turns) - turnstile.given_turn >= TURNS || now - turnstile.given_ms >= IDLE_MS)
        turnstile.given = 0;
    return turnstile.work > MOST_WORK || turnstile.given > MOST_WORK;
}

static void give(uint64_t work) {
    turnstile.work += work;
    if (turnstile.work > RECKONED_WORK) turnstile.work = RECKONED_WORK;
    turnstile.given += work;
    turnstile.given_turn = get(guard.turns);
    turnstile.given_ms = now_ms();
}

void turnstile_subscribed(const struct peer *peer) {
    if (peer->stream.subscriptions) give((uint64_t)peer->stream.subscriptions * SUBSCRIPTION);
}

void turnstile_ended(void) { give(END + walked_bytes() * END_PER_BYTE); }

/* Epoll is to report once that a viewer which waits has gone. */
struct epoll_event turnstile_wants(const struct peer *peer) {
    struct epoll_event masked = peer->wanted;
    if (peer->is_parked)
        masked.events = peer->is_over ? EPOLLET : (masked.events & ~(uint32_t)EPOLLIN) | EPOLLRDHUP;
    return masked;
}

void turnstile_tell_epoll(struct peer *peer) {
    struct epoll_event event = turnstile_wants(peer);
    peer->told = event.events;
    syscall(SYS_epoll_ctl, turnstile_epoll, EPOLL_CTL_MOD, descriptor_of(peer), &event);
}

void turnstile_forget(struct peer *peer) {
    if (!peer->is_parked) return;
    peer->is_parked = false;
    guard.parked--;
    peer->process->waiting--;
}

static void let_in(struct peer *peer) {
    if (!peer->is_parked) return;
    turnstile_forget(peer);
    turnstile_tell_epoll(peer);
}

static bool has_gone(const struct peer *peer) {
    struct pollfd look = {.fd = descriptor_of(peer), .events = POLLRDHUP};
    return poll(&look, 1, 0) > 0;
}

static bool has_ended(const struct peer *peer) {
    return peer->is_over || get(peer->state) == ENDED;
}

bool turnstile_lets(struct peer *peer) {
    /* Ends come before subscriptions: they make room. */
    bool is_full = !has_ended(peer)
        && (has_too_many_topics() || sealed_coming(peer) > guard.limits.coming_bytes);
    if (turnstile_epoll < 0 || (!is_full && !is_busy())) {
        let_in(peer);
        return true;
    }
    if (!peer->is_parked) {
        peer->is_parked = true;
        peer->parked_number = ++turnstile.number;
        if (!peer->unread_since_ms) peer->unread_since_ms = now_ms();
        guard.parked++;
        peer->process->waiting++;
        turnstile_tell_epoll(peer);
    } else if (!peer->is_over && has_gone(peer)) {
        peer->is_over = true;
        turnstile_tell_epoll(peer);
    }
    return false;
}

/* Those that have ended are read first, since they make room; and as often one that comes: in turns, one of the
 * process of which the fewest wait, so that nobody keeps others out by coming and going, and the one that has
 * waited the longest. */
static void let_next(void) {
    static unsigned passes;
    bool wants_end = passes % 2 == 0, wants_few = passes % 4 == 1;
    passes++;
    struct peer *best = NULL;
    EACH_PEER(peer) {
        if (!peer->is_parked || get(peer->state) == UNKNOWN) continue;
        bool is_better = !best || peer->parked_number < best->parked_number;
        if (best && wants_few && peer->process->waiting != best->process->waiting)
            is_better = peer->process->waiting < best->process->waiting;
        bool fits = has_ended(peer) == wants_end;
        if (best && fits != (has_ended(best) == wants_end)) is_better = fits;
        if (is_better) best = peer;
    }
    if (best) let_in(best);
}

bool turnstile_let_next(void) {
    if (guard.parked == 0) return false;
    if (has_too_many_topics()) end_most_topics();
    if (!is_busy()) let_next();
    return guard.parked > 0;
}

uint32_t turnstile_gone(const struct party *process, uint32_t *own) {
    uint32_t gone = 0;
    *own = 0;
    if (guard.parked == 0) return gone;
    EACH_PEER(peer) {
        if (!peer->is_parked || !has_ended(peer)) continue;
        gone++;
        *own += peer->process == process;
    }
    return gone;
}

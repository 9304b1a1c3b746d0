#include "account.h"
#include "topics.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct guard guard = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_legacy = UINT64_MAX};

/* ---- Users and processes ---- */

static struct party *party_of(struct party *all, int64_t number) {
    while (all && all->number != number) all = all->next;
    return all;
}

struct party *party_join(struct party **all, int64_t number) {
    struct party *party = party_of(*all, number);
    if (!party) {
        if (!(party = calloc(1, sizeof *party))) return NULL;
        party->number = number;
        party->next = *all;
        *all = party;
    }
    party->connections++;
    return party;
}

void party_leave(struct party **all, struct party *party) {
    if (!party || --party->connections > 0) return;
    while (*all != party) all = &(*all)->next;
    *all = party->next;
    free(party);
}

uint32_t peer_guard_connections_of(int64_t uid) {
    pthread_mutex_lock(&guard.lock);
    const struct party *user = party_of(guard.users, uid);
    uint32_t count = user ? user->open : 0;
    pthread_mutex_unlock(&guard.lock);
    return count;
}

/* ---- States ---- */

static bool is_open(enum state state) { return state == STRANGER || state == GUEST; }

void set_state(struct peer *peer, enum state state) {
    enum state before = get(peer->state);
    guard.count[before]--;
    guard.count[state]++;
    if (is_open(before)) peer->user->open--;
    if (is_open(state)) peer->user->open++;
    atomic_store_explicit(&peer->state, state, memory_order_release);
}

void closed(struct peer *peer) {
    set_state(peer, UNKNOWN);
    peer_guard_stream_end(&peer->stream);
    party_leave(&guard.users, peer->user);
    party_leave(&guard.processes, peer->process);
    peer->user = peer->process = NULL;
}

void count_end(enum peer_guard_reason reason, int64_t uid, int64_t pid) {
    guard.figures.ended[reason]++;
    guard.figures.last_uid = uid;
    guard.figures.last_pid = pid;
}

void end(struct peer *peer, enum peer_guard_reason reason) {
    if (!is_open(get(peer->state))) return;
    set_state(peer, ENDED);
    count_end(reason, peer->user->number, peer->process->number);
    shutdown(descriptor_of(peer), SHUT_RDWR);
}

void end_locking(struct peer *peer, enum peer_guard_reason reason) {
    pthread_mutex_lock(&guard.lock);
    end(peer, reason);
    pthread_mutex_unlock(&guard.lock);
}

bool peer_guard_is_open(int descriptor, uint64_t let_in_ns) {
    const struct peer *peer = peer_of(descriptor);
    return peer && get(peer->accepted_ns) < let_in_ns;
}

void peer_guard_end_viewer(int descriptor) {
    struct peer *peer = peer_of(descriptor);
    if (peer) end_locking(peer, PEER_GUARD_TOPICS);
}

void peer_guard_end_viewers(int64_t uid) {
    pthread_mutex_lock(&guard.lock);
    EACH_PEER(peer)
        if (get(peer->state) == GUEST && peer->stream.subscribes && peer->user->number == uid)
            end(peer, PEER_GUARD_REVOKED);
    pthread_mutex_unlock(&guard.lock);
}

/* Under the lock, so that the descriptor is still the peer's. */
static void write_address(const struct peer *peer, char *text, socklen_t room) {
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (getpeername(descriptor_of(peer), (struct sockaddr *)&address, &size)) return;
    const void *host = address.ss_family == AF_INET
        ? (const void *)&((const struct sockaddr_in *)&address)->sin_addr
        : (const void *)&((const struct sockaddr_in6 *)&address)->sin6_addr;
    if (address.ss_family == AF_INET || address.ss_family == AF_INET6)
        inet_ntop(address.ss_family, host, text, room);
}

uint32_t peer_guard_list(struct peer_guard_connection *found, uint32_t most) {
    uint32_t count = 0;
    pthread_mutex_lock(&guard.lock);
    EACH_PEER(peer) {
        if (get(peer->state) != GUEST || count == most) continue;
        struct peer_guard_connection *one = found + count++;
        /* Whose they are is counted only where much waits; else the next turn takes all. */
        bool much_waits = !peer->stream.subscribes
            && waiting_in(PEER_GUARD_REQUESTS) > guard.limits.all_waiting_bytes / 8;
        *one = (struct peer_guard_connection){
            .descriptor = descriptor_of(peer),
            .accepted_ns = get(peer->accepted_ns),
            .uid = peer->user->number,
            .pid = peer->process->number,
            .subscribes = peer->stream.subscribes,
            .is_sealed = peer->stream.is_sealed,
            .received = get(peer->received),
            .sent = get(peer->sent),
            .waiting = much_waits ? less(peer->waiting_bytes, get(peer->waiting_taken)) : 0,
            .blocked_ms = get(peer->is_blocked) ? get(peer->blocked_ms) : 0,
            .topics = peer->stream.topics.count,
        };
        write_address(peer, one->address, sizeof one->address);
        topic_names(&peer->stream, one->names, sizeof one->names);
    }
    pthread_mutex_unlock(&guard.lock);
    return count;
}

bool peer_guard_end_connection(int descriptor, uint64_t accepted_ns) {
    pthread_mutex_lock(&guard.lock);
    struct peer *peer = peer_of(descriptor);
    bool is_there = peer && get(peer->accepted_ns) == accepted_ns && get(peer->state) == GUEST;
    if (is_there) end(peer, PEER_GUARD_ADMINISTRATOR);
    pthread_mutex_unlock(&guard.lock);
    return is_there;
}

void peer_guard_read(struct peer_guard_figures *figures) {
    pthread_mutex_lock(&guard.lock);
    *figures = guard.figures;
    figures->connections = guard.count[STRANGER] + guard.count[GUEST];
    figures->strangers = guard.count[STRANGER];
    pthread_mutex_unlock(&guard.lock);
}

/* ---- What libzmq holds ---- */

uint64_t waiting_in(enum peer_guard_inbox inbox) {
    return less(get(guard.inboxes[inbox].arrived), get(guard.inboxes[inbox].taken));
}

uint64_t held_bound(enum held kind, uint64_t bound) {
    uint64_t others = 0;
    for (enum held other = 0; other < HELD; other++)
        if (other != kind && other != WAITING) others += get(guard.held[other]);
    if (kind != WAITING)
        others += waiting_in(PEER_GUARD_REQUESTS) + waiting_in(PEER_GUARD_SUBSCRIPTIONS);
    uint64_t room = less(guard.limits.held_bytes, others), least = bound / 4;
    return room > bound ? bound : room < least ? least : room;
}

enum { MUCH_BYTES = 72 << 20, LITTLE_BYTES = 4 << 20, SOON_MS = 2000, LATER_MS = 10000 };

static uint64_t resident_bytes(void) {
    char text[64];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) syscall(SYS_close, file);
    if (count <= 0) return 0;
    text[count] = 0;
    unsigned long size, resident;
    if (sscanf(text, "%lu %lu", &size, &resident) != 2) return 0;
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void give_back(uint64_t now) {
    static uint64_t next_ms;
    if (now < next_ms) return;
    uint64_t before = resident_bytes();
    next_ms = now + SOON_MS;
    if (before < MUCH_BYTES || mallinfo2().fordblks < 2 * LITTLE_BYTES) return;
    malloc_trim(0);
    if (less(before, resident_bytes()) < LITTLE_BYTES) next_ms = now + LATER_MS;
}

/* Encrypted connections (CURVE): the guard reads what a client says of itself where libzmq has opened it. Of what
 * comes later it sees frames and cannot read them. So it counts, and bounds
 * what one connection, and all of them, may have that the daemon has not taken in. The daemon tells it the
 * topics of a viewer when it comes to them; until then each frame counts as a new topic. Only holders of
 * known keys come so far. */

#include "peers.h"
#include "topics.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum {
    /* A pong a second is no message: so much is not counted. */
    IDLE_BYTES_PER_SECOND = 256,
    /* A viewer of which the daemon has not come to so much is read later. */
    MOST_COMING = 4 << 10,
};

/* ---- What libzmq opens ---- */

/* libsodium's, in whose place ours is called. */
typedef int box_open(
    unsigned char *message, const unsigned char *box, unsigned long long size,
    const unsigned char *nonce, const unsigned char *public_key, const unsigned char *secret_key);

box_open crypto_box_open;

static box_open *theirs(void) {
    static _Atomic(box_open *) found;
    box_open *open = atomic_load_explicit(&found, memory_order_relaxed);
    if (open) return open;
    open = (box_open *)dlsym(RTLD_NEXT, "crypto_box_open");
    atomic_store_explicit(&found, open, memory_order_relaxed);
    return open;
}

/* Whose INITIATE libzmq has just been given on this thread, and opens before it reads anything else. */
static _Thread_local struct peer *initiating;

void sealed_said(struct peer *peer) {
    bool asks = peer && peer->stream.is_sealed && peer->stream.is_guest && !peer->stream.subscribes;
    initiating = asks ? peer : NULL;
}

enum {
    /* Of INITIATE what stands before its box: a name, a cookie, a nonce. */
    BEFORE_BOX = 9 + 96 + 8,
    /* Zeros that libsodium wants before a box, and leaves before what was in it. */
    BOX_ZEROS = 16,
    OPENED_ZEROS = 32,
    /* In the box before the properties: the client's key, and a vouch for it. */
    BEFORE_PROPERTIES = 32 + 16 + 80,
};

/* libzmq opens HELLO, INITIATE and the vouch by this function. It reads the properties where they stand now, so
 * the guard's routing id is put there. */
int crypto_box_open(
    unsigned char *message, const unsigned char *box, unsigned long long size,
    const unsigned char *nonce, const unsigned char *public_key, const unsigned char *secret_key) {
    box_open *open = theirs();
    struct peer *peer = initiating;
    initiating = NULL;
    if (!open || open(message, box, size, nonce, public_key, secret_key) != 0) return -1;
    enum { BEFORE = OPENED_ZEROS + BEFORE_PROPERTIES };
    /* A guest without a routing id of the guard's is ended with its first message. */
    if (!peer || size < BEFORE || size + BEFORE_BOX != peer->stream.kept_count + BOX_ZEROS) return 0;
    enum peer_guard_reason reason =
        peer_guard_name_sealed(message + BEFORE, (uint32_t)size - BEFORE, guard.next_name++);
    peer->stream.is_named = !reason;
    if (reason) end_locking((int)(peer - guard.peers), peer, reason);
    return reason ? -1 : 0;
}

/* ---- Ports ---- */

int peer_guard_seal(uint16_t port, bool subscribes) {
    if (!theirs() || dlsym(RTLD_DEFAULT, "crypto_box_open") != (void *)crypto_box_open) return -2;
    if (guard.sealed_count == SEALED_PORTS) return -1;
    guard.sealed_ports[guard.sealed_count] = port;
    guard.sealed_subscribes[guard.sealed_count] = subscribes;
    guard.sealed_count++;
    return 0;
}

/* The port by which it was accepted; 0: none. */
static uint16_t port_of(int descriptor) {
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    if (getsockname(descriptor, (struct sockaddr *)&name, &size) != 0) return 0;
    if (name.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&name)->sin_port);
    if (name.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&name)->sin6_port);
    return 0;
}

void sealed_admit(int descriptor, struct peer *peer) {
    if (guard.sealed_count == 0) return;
    uint16_t port = port_of(descriptor);
    for (int i = 0; port && i < guard.sealed_count; i++) {
        if (guard.sealed_ports[i] != port) continue;
        peer->stream.is_sealed = true;
        peer->stream.subscribes = guard.sealed_subscribes[i];
        peer->stream.all_topics = &guard.sealed_topics;
        /* They are all of one user, tcp, and the state thread changes them. */
        peer->stream.user_topics = NULL;
        atomic_store(&peer->sealed_taken_ms, now_ms());
        return;
    }
}

/* What has come since a message was taken in, but for what an idle connection sends. */
static uint64_t held(struct peer *peer, uint64_t now) {
    uint64_t taken_ms = atomic_load_explicit(&peer->sealed_taken_ms, memory_order_relaxed);
    uint64_t arrived = atomic_load_explicit(&peer->sealed_arrived, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&peer->sealed_taken, memory_order_relaxed);
    return less(less(arrived, taken), (less(now, taken_ms) / 1000 + 1) * IDLE_BYTES_PER_SECOND);
}

/* ---- Topics ---- */

static uint64_t bytes_of(const struct coming *coming) {
    const struct inbox *inbox = guard.inboxes + PEER_GUARD_SUBSCRIPTIONS;
    uint64_t taken = atomic_load_explicit(&inbox->taken, memory_order_relaxed);
    if (taken >= coming->younger_arrived) return 0;
    return coming->younger + (taken >= coming->older_arrived ? 0 : coming->older);
}

static void come(struct coming *coming, uint64_t bytes) {
    const struct inbox *inbox = guard.inboxes + PEER_GUARD_SUBSCRIPTIONS;
    uint64_t taken = atomic_load_explicit(&inbox->taken, memory_order_relaxed);
    if (taken >= coming->younger_arrived) coming->younger = coming->older = 0;
    if (taken >= coming->older_arrived) {
        coming->older = coming->younger;
        coming->older_arrived = coming->younger_arrived;
        coming->younger = 0;
    }
    coming->younger += bytes;
    coming->younger_arrived = atomic_load_explicit(&inbox->arrived, memory_order_relaxed);
}

uint64_t sealed_coming(const struct peer *peer) {
    return peer->stream.is_sealed ? bytes_of(&peer->coming) : 0;
}

bool sealed_waits(const struct peer *peer) { return sealed_coming(peer) > MOST_COMING; }

uint64_t sealed_topics_bytes(void) {
    return atomic_load_explicit(&guard.sealed_topics_bytes, memory_order_relaxed)
        + bytes_of(&guard.sealed_coming);
}

/* Under the lock, where the topics have changed. */
void sealed_sum(void) {
    const struct peer_guard_all_topics *all = &guard.sealed_topics;
    uint64_t bytes = all->bytes + (uint64_t)all->count * PEER_GUARD_TOPIC_COST;
    atomic_store_explicit(&guard.sealed_topics_bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&guard.sealed_subscriptions, all->subscriptions, memory_order_relaxed);
}

void peer_guard_took_topic(
    int descriptor, uint64_t let_in_ns, bool begins, const uint8_t *topic, uint32_t size) {
    struct peer *peer = peer_of(descriptor);
    if (!peer || guard.sealed_count == 0) return;
    pthread_mutex_lock(&guard.lock);
    struct peer_guard_stream *stream = &peer->stream;
    /* `is_sealed` and the limits of topics do not change while a connection is there. */
    if (atomic_load(&peer->state) == GUEST && stream->is_sealed
        && peer_guard_is_open(descriptor, let_in_ns)) {
        bool is_one = size <= guard.limits.topic_bytes && topic_is_of_protocol(topic, size);
        if (is_one && !begins) topic_cancel(stream, topic, size);
        if (!is_one || (begins && !topic_subscribe(stream, &guard.limits, topic, size)))
            end(descriptor, peer, PEER_GUARD_TOPICS);
        sealed_sum();
    }
    pthread_mutex_unlock(&guard.lock);
}

/* ---- What arrives ---- */

/* After each read. */
enum peer_guard_reason sealed_took(struct peer *peer) {
    struct peer_guard_stream *stream = &peer->stream;
    uint64_t now = now_ms();
    if (stream->subscribes) {
        come(&peer->coming, stream->coming_bytes);
        come(&guard.sealed_coming, stream->coming_bytes);
        return PEER_GUARD_NONE;
    }
    uint64_t arrived = atomic_load_explicit(&peer->sealed_arrived, memory_order_relaxed);
    atomic_store_explicit(
        &peer->sealed_arrived, arrived + stream->finished_bytes, memory_order_relaxed);
    if (held(peer, now) > guard.limits.waiting_bytes) return PEER_GUARD_FLOOD;
    guard.sealed_unseen += stream->finished_bytes;
    if (guard.sealed_unseen < guard.limits.all_waiting_bytes / 16) return PEER_GUARD_NONE;
    guard.sealed_unseen = 0;
    pthread_mutex_lock(&guard.lock);
    sealed_look(now);
    pthread_mutex_unlock(&guard.lock);
    return PEER_GUARD_NONE;
}

/* Messages of a connection come in their order, so what had come before the last one is taken in too. */
void peer_guard_took_sealed(int descriptor) {
    struct peer *peer = peer_of(descriptor);
    if (!peer) return;
    uint64_t arrived = atomic_load_explicit(&peer->sealed_arrived, memory_order_relaxed);
    atomic_store_explicit(&peer->sealed_taken, arrived, memory_order_relaxed);
    atomic_store_explicit(&peer->sealed_taken_ms, now_ms(), memory_order_relaxed);
}

/* Under the lock. Ends those that hold the most, until all hold little enough. */
void sealed_look(uint64_t now) {
    if (guard.sealed_count == 0) return;
    for (;;) {
        int worst = -1;
        uint64_t most = 0, all = 0;
        for (int i = 0, last = atomic_load(&guard.end); i < last; i++) {
            struct peer *peer = guard.peers + i;
            if (atomic_load(&peer->state) != GUEST || !peer->stream.is_sealed) continue;
            uint64_t bytes = held(peer, now);
            all += bytes;
            if (bytes <= most) continue;
            most = bytes;
            worst = i;
        }
        hold(SEALED, all);
        if (all <= held_bound(SEALED, guard.limits.all_waiting_bytes) || worst < 0) return;
        end(worst, guard.peers + worst, PEER_GUARD_FLOOD);
    }
}

void peer_guard_end_sealed(void) {
    pthread_mutex_lock(&guard.lock);
    for (int i = 0, last = atomic_load(&guard.end); i < last; i++)
        if (guard.peers[i].stream.is_sealed) end(i, guard.peers + i, PEER_GUARD_KEYS);
    pthread_mutex_unlock(&guard.lock);
}

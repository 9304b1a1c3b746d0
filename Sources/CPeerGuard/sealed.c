#include "sealed.h"
#include "topics.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* A pong a second is no message: so much is not counted. */
enum { IDLE_BYTES_PER_SECOND = 256 };

/* ---- What libzmq opens ---- */

/* libsodium's, in whose place ours is called. */
typedef int box_open(
    unsigned char *message, const unsigned char *box, unsigned long long size,
    const unsigned char *nonce, const unsigned char *public_key, const unsigned char *secret_key);

box_open crypto_box_open;

static box_open *theirs(void) {
    static _Atomic(box_open *) found;
    if (!get(found)) put(found, (box_open *)dlsym(RTLD_NEXT, "crypto_box_open"));
    return get(found);
}

/* libzmq has just been given this peer's INITIATE on this thread, and opens it before it reads anything else. */
static _Thread_local struct peer *initiating;

void sealed_said(struct peer *peer) {
    bool asks = peer && peer->stream.is_sealed && peer->stream.is_guest && !peer->stream.subscribes;
    initiating = asks ? peer : NULL;
}

enum {
    /* A name, a cookie and a nonce stand before the box of INITIATE. */
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
    if (reason) end_locking(peer, reason);
    return reason ? -1 : 0;
}

/* ---- Ports ---- */

int peer_guard_seal(uint16_t port, bool subscribes) {
    if (!theirs() || dlsym(RTLD_DEFAULT, "crypto_box_open") != (void *)crypto_box_open) return -2;
    if (guard.sealed_count == SEALED_PORTS) return -1;
    guard.sealed[guard.sealed_count].port = port;
    guard.sealed[guard.sealed_count].subscribes = subscribes;
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
    uint16_t port = guard.sealed_count ? port_of(descriptor) : 0;
    for (int i = 0; port && i < guard.sealed_count; i++) {
        if (guard.sealed[i].port != port) continue;
        peer->stream.is_sealed = true;
        peer->stream.subscribes = guard.sealed[i].subscribes;
        put(peer->sealed_taken_ms, now_ms());
        return;
    }
}

/* ---- Topics ---- */

uint64_t sealed_coming(const struct peer *peer) {
    bool is_come = get(guard.inboxes[PEER_GUARD_SUBSCRIPTIONS].taken) >= peer->coming_arrived;
    return is_come ? 0 : peer->coming_bytes;
}

uint64_t sealed_all_coming(void) {
    uint64_t all = 0;
    if (get(guard.inboxes[PEER_GUARD_SUBSCRIPTIONS].taken) >= guard.sealed_coming_arrived) return all;
    EACH_PEER(peer) all += get(peer->state) == UNKNOWN ? 0 : sealed_coming(peer);
    return all;
}

void peer_guard_took_topic(
    int descriptor, uint64_t let_in_ns, bool begins, const uint8_t *topic, uint32_t size) {
    struct peer *peer = peer_of(descriptor);
    if (!peer || guard.sealed_count == 0) return;
    pthread_mutex_lock(&guard.lock);
    struct peer_guard_stream *stream = &peer->stream;
    /* `is_sealed` and the limits of topics do not change while a connection is there. */
    if (get(peer->state) == GUEST && stream->is_sealed && peer_guard_is_open(descriptor, let_in_ns)) {
        bool is_one = size <= guard.limits.topic_bytes && topic_is_of_protocol(topic, size);
        if (is_one && !begins) topic_cancel(stream, topic, size);
        if (!is_one || (begins && !topic_subscribe(stream, &guard.limits, topic, size)))
            end(peer, PEER_GUARD_TOPICS);
    }
    pthread_mutex_unlock(&guard.lock);
}

/* ---- What arrives ---- */

/* How much has come since a message was taken in, but for what an idle connection sends. */
static uint64_t held(const struct peer *peer, uint64_t now) {
    uint64_t seconds = less(now, get(peer->sealed_taken_ms)) / 1000 + 1;
    return less(
        less(get(peer->sealed_arrived), get(peer->sealed_taken)), seconds * IDLE_BYTES_PER_SECOND);
}

enum peer_guard_reason sealed_took(struct peer *peer) {
    const struct peer_guard_stream *stream = &peer->stream;
    if (stream->subscribes) {
        peer->coming_bytes = sealed_coming(peer) + stream->coming_bytes;
        peer->coming_arrived = get(guard.inboxes[PEER_GUARD_SUBSCRIPTIONS].arrived);
        guard.sealed_coming_arrived = peer->coming_arrived;
        return PEER_GUARD_NONE;
    }
    uint64_t now = now_ms();
    put(peer->sealed_arrived, get(peer->sealed_arrived) + stream->finished_bytes);
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
    put(peer->sealed_taken, get(peer->sealed_arrived));
    put(peer->sealed_taken_ms, now_ms());
}

void sealed_look(uint64_t now) {
    while (guard.sealed_count > 0) {
        struct peer *worst = NULL;
        uint64_t most = 0, all = 0;
        EACH_PEER(peer) {
            if (get(peer->state) != GUEST || !peer->stream.is_sealed) continue;
            uint64_t bytes = held(peer, now);
            all += bytes;
            if (bytes <= most) continue;
            most = bytes;
            worst = peer;
        }
        put(guard.held[SEALED], all);
        if (all <= held_bound(SEALED, guard.limits.all_waiting_bytes) || !worst) return;
        end(worst, PEER_GUARD_FLOOD);
    }
}

void peer_guard_end_sealed(void) {
    pthread_mutex_lock(&guard.lock);
    EACH_PEER(peer)
        if (peer->stream.is_sealed) end(peer, PEER_GUARD_KEYS);
    pthread_mutex_unlock(&guard.lock);
}

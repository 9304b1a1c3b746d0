#pragma once

/* One connection's incoming bytes. Public for its tests and its fuzzer. */

#include "rules.h"

#include <stdbool.h>
#include <stddef.h>

/* Different topics, their bytes, and how many connections have subscribed to one. All zero: none. */
struct peer_guard_topics {
    uint32_t count, bytes, subscriptions;
    void *tree;
};

/* Where a stream of ZMTP stands. All zero: at its beginning. */
struct peer_guard_stream {
    /* The stage of the connection, the phase of a frame, and its flags. */
    uint8_t stage, phase, flags;
    /* Whether the handshake has ended, and whether the peer is a subscriber. */
    bool is_guest;
    bool subscribes;
    /* Encrypted: the port says it, and whether it is one for subscribers. */
    bool is_sealed;
    /* Whether a whole command of the handshake has come that libzmq has not seen. */
    bool is_said;
    /* An encrypted connection has a routing id of the guard's. */
    bool is_named;
    /* Bytes of the present part that were read, of the frame's body that are left. */
    uint32_t offset;
    uint64_t left;
    /* The unfinished message has so many frames, and bytes with what the frames take in libzmq besides. */
    uint32_t frames;
    uint64_t bytes;
    /* The bytes of messages that ended in what was read last. */
    uint64_t finished_bytes;
    /* Subscriptions, and those taken back, in what was read last; of encrypted ones, which may be
     * pings too, the topics' bytes with their cost. */
    uint32_t subscriptions;
    uint32_t coming_bytes;
    /* PINGs and PONGs in what was read last. */
    uint32_t pings, pongs;
    /* The body of a command or a subscription. */
    uint8_t *kept;
    uint32_t kept_count;
    struct peer_guard_topics topics;
    /* They are counted there too, if anywhere: in those of all, and in those of its user. */
    struct peer_guard_topics *all_topics, *user_topics;
};

/* An encrypted frame has so much besides its content: name, nonce, seal, flags. */
enum { PEER_GUARD_SEAL_BYTES = 8 + 8 + 16 + 1 };

/* Reads along; PEER_GUARD_NONE while no rule is broken. After another answer the stream must not
 * be used again, only let go. */
enum peer_guard_reason peer_guard_stream_read(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *bytes,
    size_t count);

/* The most that is to be read next, so that a command of the handshake can be held back until it is whole.
 * `is_held`: not the greeting. */
size_t peer_guard_stream_wants(const struct peer_guard_stream *stream, bool *is_held);

/* Once, when `is_said`: writes the command as libzmq is to see it, and returns its size; 0: no room. In READY
 * of a client that asks this routing id stands instead of the one that it has claimed, if it has. */
size_t peer_guard_stream_handshake(
    struct peer_guard_stream *stream, uint64_t name, uint8_t *bytes, size_t room);

/* Writes this routing id into the properties of a client that asks, in their place and of the same size: what
 * else it says of itself libzmq does not see. */
enum peer_guard_reason peer_guard_name_sealed(uint8_t *properties, uint32_t size, uint64_t name);

/* Bytes of topics, with their cost. */
uint32_t peer_guard_topics_bytes(const struct peer_guard_topics *topics);

/* Frees what it holds. */
void peer_guard_stream_end(struct peer_guard_stream *stream);

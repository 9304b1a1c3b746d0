/* Sets of topics: of one connection, of its user, and of all together. */

#ifndef TRESTLE_PEER_GUARD_TOPICS_H
#define TRESTLE_PEER_GUARD_TOPICS_H

#include "peer_guard.h"

/* What viewers of this protocol subscribe to (docs/PROTOCOL.md): `j/NAME/`, `b/NAME/`, and with a `p`
 * before it who is there; or all tables of such a kind at once, or everything. */
bool topic_is_of_protocol(const uint8_t *topic, size_t size);

/* Whether the connection may have the topic too: false beyond its own bounds. Repeated, it counts once,
 * as it does in libzmq. */
bool topic_subscribe(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *topic,
    uint32_t size);

void topic_cancel(struct peer_guard_stream *stream, const uint8_t *topic, uint32_t size);

/* The connection has none any more. */
void topic_forget(struct peer_guard_stream *stream);

/* hash.c: by a key that nobody outside knows, once `hash_seed` has set it. */
void hash_seed(const uint64_t random[2]);
uint64_t hash_of(const uint8_t *bytes, size_t count);

#endif

/* Sets of topics: of one connection, of its user, and of all together. */

#pragma once

#include "stream.h"

/* Whether viewers of this protocol subscribe to it (docs/PROTOCOL.md): `j/NAME/`, `b/NAME/`, and with a `p`
 * before it who is there; or all tables of such a kind at once, or everything. */
bool topic_is_of_protocol(const uint8_t *topic, size_t size);

/* Whether the connection may have the topic too: false beyond its own bounds. Repeated, it counts once,
 * as it does in libzmq. */
bool topic_subscribe(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *topic,
    uint32_t size);

void topic_cancel(struct peer_guard_stream *stream, const uint8_t *topic, uint32_t size);

/* Writes topics into text, a line each, as far as there is room, and ends it with a NUL. */
void topic_names(const struct peer_guard_stream *stream, char *text, size_t room);

/* The connection has none any more. */
void topic_forget(struct peer_guard_stream *stream);

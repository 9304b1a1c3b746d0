/* The claims that a client makes in its handshake, and the routing id that it is given. */

#pragma once

#include "stream.h"

/* The part that a `Socket-Type` has. libzmq looks whether its endpoint takes that kind. */
enum name_kind { NAME_NO_KIND, NAME_ASKS, NAME_SUBSCRIBES, NAME_OTHER };

/* A property `Identity` with a routing id of the guard's. */
enum { NAME_PROPERTY_BYTES = 1 + 8 + 4 + 1 + 8 };

/* Reads properties, and takes `Identity` out of them. `kind` is set where there is no fault. */
enum peer_guard_reason name_take(uint8_t *properties, uint32_t *size, enum name_kind *kind);

/* Writes such a property. */
void name_write(uint8_t *at, uint64_t name);

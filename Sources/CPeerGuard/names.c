/* The claims that a client makes in its handshake, as properties of READY or, encrypted, of INITIATE. Whatever
 * routing id it claims, libzmq sees one that the guard has made: a number that no other connection had. libzmq
 * never reads a second connection of an id, nor frees it, also where the first has ended and its requests
 * wait; and it ends the process where a client has claimed the id that it gives next. */

#include "names.h"

#include <string.h>

enum {
    /* The first byte of a routing id of the guard's. libzmq's own begin with 0. */
    NAMED = 1,
    ID_BYTES = 1 + 8,
    /* The length of a property's name, and that of its value. */
    PROPERTY_BYTES = 1 + 4,
    IDENTITY_BYTES = PROPERTY_BYTES + 8,
    /* An id of 40 bits; the least that a client says is "Socket-Type" and "REQ". */
    LEAST_ID_BYTES = 1 + 5,
};

static bool is_like(const uint8_t *name, size_t size, const char *known) {
    if (size != strlen(known)) return false;
    for (size_t i = 0; i < size; i++)
        if ((name[i] | 0x20) != (known[i] | 0x20)) return false;
    return true;
}

static enum name_kind kind_of(const uint8_t *value, size_t size) {
    if (is_like(value, size, "SUB") || is_like(value, size, "XSUB")) return NAME_SUBSCRIBES;
    bool asks = (size == 3 && memcmp(value, "REQ", 3) == 0)
        || (size == 6 && (memcmp(value, "DEALER", 6) == 0 || memcmp(value, "ROUTER", 6) == 0));
    return asks ? NAME_ASKS : NAME_OTHER;
}

/* libzmq tells letters apart, and takes the last of several: one that is there twice, or in other letters, could
 * be something else to it than it is here. */
enum peer_guard_reason name_take(uint8_t *properties, uint32_t *size, enum name_kind *kind) {
    uint8_t *at = properties, *end = at + *size;
    bool has_identity = false;
    *kind = NAME_NO_KIND;
    while (at < end) {
        uint8_t *begin = at;
        size_t name_size = *at++;
        if ((size_t)(end - at) < name_size + 4) return PEER_GUARD_HANDSHAKE;
        const uint8_t *name = at;
        at += name_size;
        uint32_t count =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        const uint8_t *value = at += 4;
        if ((size_t)(end - at) < count) return PEER_GUARD_HANDSHAKE;
        at += count;
        if (is_like(name, name_size, "Socket-Type")) {
            if (*kind || memcmp(name, "Socket-Type", name_size) != 0) return PEER_GUARD_HANDSHAKE;
            *kind = kind_of(value, count);
        } else if (is_like(name, name_size, "Identity")) {
            if (has_identity || memcmp(name, "Identity", name_size) != 0) return PEER_GUARD_IDENTITY;
            if (count > 0 && value[0] == 0) return PEER_GUARD_IDENTITY;
            has_identity = true;
            memmove(begin, at, (size_t)(end - at));
            end -= at - begin;
            at = begin;
        }
    }
    *size = (uint32_t)(end - properties);
    return *kind ? PEER_GUARD_NONE : PEER_GUARD_HANDSHAKE;
}

static void write_id(uint8_t *at, uint32_t bytes, uint64_t name) {
    static const uint8_t identity[] = "\10Identity\0\0";
    memcpy(at, identity, sizeof identity);
    at += sizeof identity;
    *at++ = (uint8_t)bytes;
    *at++ = NAMED;
    for (uint32_t i = bytes - 1; i > 0; i--) *at++ = (uint8_t)(name >> 8 * (i - 1));
}

void name_write(uint8_t *at, uint64_t name) { write_id(at, ID_BYTES, name); }

enum peer_guard_reason
peer_guard_name_sealed(uint8_t *properties, uint32_t size, uint64_t name) {
    uint32_t said = size;
    enum name_kind kind;
    enum peer_guard_reason reason = name_take(properties, &said, &kind);
    if (reason) return reason;
    if (kind != NAME_ASKS || size < IDENTITY_BYTES + LEAST_ID_BYTES) return PEER_GUARD_HANDSHAKE;
    uint32_t room = size - IDENTITY_BYTES;
    uint32_t bytes = room < ID_BYTES ? room : ID_BYTES, left = room - bytes;
    write_id(properties, bytes, name);
    if (left == 0) return PEER_GUARD_NONE;
    /* The rest is a property without a name; where that does not fit, the id is longer. */
    uint8_t *at = properties + IDENTITY_BYTES + bytes;
    memset(at, 0, left);
    if (left < PROPERTY_BYTES) {
        properties[IDENTITY_BYTES - 1] = (uint8_t)room;
    } else {
        left -= PROPERTY_BYTES;
        for (int i = 1; i <= 4; i++) at[i] = (uint8_t)(left >> 8 * (4 - i));
    }
    return PEER_GUARD_NONE;
}

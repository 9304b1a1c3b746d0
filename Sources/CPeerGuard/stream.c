/* One connection's incoming bytes, as ZMTP 3 (rfc.zeromq.org/spec/37): a greeting of 64 bytes, frames
 * of the handshake, frames of messages. Every byte comes from a stranger. */

#include "peer_guard.h"

#include <stdlib.h>
#include <string.h>

enum phase { GREETING, FLAGS, LENGTH, BODY };

enum {
    GREETING_BYTES = 64,
    MORE = 1,
    LONG = 2,
    COMMAND = 4,
    /* A command or a subscription that is larger is none of ours. */
    KEPT_BYTES = 1024,
};

/* ---- Topics: a set, so that a repeated subscription counts once, as it does in libzmq ---- */

struct topic {
    uint8_t *bytes; /* NULL: empty */
    uint32_t size;
};

struct peer_guard_topics {
    uint32_t count;
    uint32_t bytes;
    uint32_t capacity; /* a power of two */
    struct topic *slots;
};

/* FNV-1a. */
static uint64_t hash_of(const uint8_t *bytes, size_t count) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* The slot that holds the topic, or the empty one where it would stand. A peer that chooses topics
 * of one hash makes its own searches long, and no longer than its bound of topics. */
static struct topic *
slot_of(struct topic *slots, uint32_t capacity, const uint8_t *topic, uint32_t size) {
    uint64_t hash = hash_of(topic, size);
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & (capacity - 1);
    while (slots[at].bytes && (slots[at].size != size || memcmp(slots[at].bytes, topic, size)))
        at = (at + 1) & (capacity - 1);
    return slots + at;
}

static bool grow(struct peer_guard_topics *topics) {
    uint32_t capacity = topics->capacity ? topics->capacity * 2 : 16;
    struct topic *slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < topics->capacity; i++) {
        struct topic old = topics->slots[i];
        if (old.bytes) *slot_of(slots, capacity, old.bytes, old.size) = old;
    }
    free(topics->slots);
    topics->slots = slots;
    topics->capacity = capacity;
    return true;
}

/* Whether the topic is within the bounds. */
static bool subscribe(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *topic,
    uint32_t size) {
    if (!stream->topics && !(stream->topics = calloc(1, sizeof *stream->topics))) return false;
    struct peer_guard_topics *topics = stream->topics;
    if (topics->count * 2 >= topics->capacity && !grow(topics)) return false;
    struct topic *slot = slot_of(topics->slots, topics->capacity, topic, size);
    if (slot->bytes) return true;
    if (!(slot->bytes = malloc(size + 1))) return false;
    memcpy(slot->bytes, topic, size);
    slot->size = size;
    topics->count++;
    topics->bytes += size;
    return topics->count <= limits->topics && topics->bytes <= limits->topics_bytes;
}

static void cancel(struct peer_guard_stream *stream, const uint8_t *topic, uint32_t size) {
    struct peer_guard_topics *topics = stream->topics;
    if (!topics || !topics->capacity) return;
    struct topic *slot = slot_of(topics->slots, topics->capacity, topic, size);
    if (!slot->bytes) return;
    free(slot->bytes);
    slot->bytes = NULL;
    topics->count--;
    topics->bytes -= size;
    /* What stands behind it in the same run of slots may be out of its search's reach: put again. */
    uint32_t mask = topics->capacity - 1;
    for (uint32_t at = (uint32_t)(slot - topics->slots + 1) & mask; topics->slots[at].bytes;
         at = (at + 1) & mask) {
        struct topic moved = topics->slots[at];
        topics->slots[at].bytes = NULL;
        *slot_of(topics->slots, topics->capacity, moved.bytes, moved.size) = moved;
    }
}

static void forget_topics(struct peer_guard_topics *topics) {
    if (!topics) return;
    for (uint32_t i = 0; i < topics->capacity; i++) free(topics->slots[i].bytes);
    free(topics->slots);
    free(topics);
}

/* ---- The greeting ---- */

static bool greeting_allows(uint32_t offset, uint8_t byte) {
    static const uint8_t mechanism[20] = "NULL";
    if (offset == 0) return byte == 0xff;
    if (offset == 9) return byte == 0x7f;
    /* ZMTP 1.0 has no number here, 2.0 a 1: both carry an identity that nobody checks. */
    if (offset == 10) return byte >= 3;
    if (offset >= 12 && offset < 32) return byte == mechanism[offset - 12];
    return true;
}

/* ---- The handshake: one READY command with properties ---- */

static bool is_named(const uint8_t *name, size_t size, const char *known) {
    if (size != strlen(known)) return false;
    for (size_t i = 0; i < size; i++)
        if ((name[i] | 0x20) != (known[i] | 0x20)) return false;
    return true;
}

static enum peer_guard_reason ready(struct peer_guard_stream *stream) {
    const uint8_t *at = stream->kept, *end = at + stream->kept_count;
    if (end - at < 6 || memcmp(at, "\5READY", 6) != 0) return PEER_GUARD_HANDSHAKE;
    at += 6;
    /* Another one, or in other letters, could be taken for another kind by libzmq than here. */
    bool has_kind = false;
    while (at < end) {
        size_t name_size = *at++;
        const uint8_t *name = at;
        if ((size_t)(end - at) < name_size + 4) return PEER_GUARD_HANDSHAKE;
        at += name_size;
        uint32_t size =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        at += 4;
        if ((size_t)(end - at) < size) return PEER_GUARD_HANDSHAKE;
        if (is_named(name, name_size, "Identity") && size > 0) {
            if (at[0] == 0) return PEER_GUARD_IDENTITY;
            stream->identity = hash_of(at, size) | 1;
        }
        if (is_named(name, name_size, "Socket-Type")) {
            if (has_kind || memcmp(name, "Socket-Type", name_size) != 0) return PEER_GUARD_HANDSHAKE;
            has_kind = true;
            stream->subscribes = is_named(at, size, "SUB") || is_named(at, size, "XSUB");
        }
        at += size;
    }
    if (!has_kind) return PEER_GUARD_HANDSHAKE;
    stream->is_guest = true;
    return PEER_GUARD_NONE;
}

/* ---- Frames ---- */

/* The body of a frame whose whole content matters has arrived. */
static enum peer_guard_reason
kept(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    if (!stream->is_guest) return ready(stream);
    const uint8_t *body = stream->kept;
    uint32_t count = stream->kept_count, name = 0;
    bool begins;
    bool is_command = stream->flags & COMMAND;
    if (is_command && count >= 5 && (!memcmp(body, "\4PING", 5) || !memcmp(body, "\4PONG", 5)))
        return PEER_GUARD_NONE;
    /* libzmq hands every other command on as a message, also to the request endpoint. */
    if (!stream->subscribes) return PEER_GUARD_MESSAGE;
    if (!is_command) {
        /* Before ZMTP 3.1 a message is a subscription: 1 or 0, then the topic. */
        if (count == 0 || body[0] > 1) return PEER_GUARD_TOPICS;
        begins = body[0] == 1;
        name = 1;
    } else if (count >= 10 && memcmp(body, "\11SUBSCRIBE", 10) == 0) {
        begins = true;
        name = 10;
    } else if (count >= 7 && memcmp(body, "\6CANCEL", 7) == 0) {
        begins = false;
        name = 7;
    } else {
        return PEER_GUARD_TOPICS;
    }
    if (count - name > limits->topic_bytes) return PEER_GUARD_TOPICS;
    /* A command too becomes a message of libzmq's. */
    if (stream->flags & COMMAND) stream->finished_bytes += count + PEER_GUARD_FRAME_COST;
    if (!begins) cancel(stream, body + name, count - name);
    else if (!subscribe(stream, limits, body + name, count - name)) return PEER_GUARD_TOPICS;
    return PEER_GUARD_NONE;
}

/* Whether the whole content of a frame matters. */
static bool keeps(const struct peer_guard_stream *stream) {
    return !stream->is_guest || stream->subscribes || (stream->flags & COMMAND);
}

/* A frame's flags and length are known. */
static enum peer_guard_reason
begin_frame(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    bool is_command = stream->flags & COMMAND;
    if (!stream->is_guest && (!is_command || stream->left > KEPT_BYTES)) return PEER_GUARD_HANDSHAKE;
    if (stream->is_guest && stream->subscribes
        && (stream->left > KEPT_BYTES || (stream->flags & MORE)))
        return PEER_GUARD_TOPICS;
    if (stream->is_guest && is_command && (stream->left > KEPT_BYTES || (stream->flags & MORE)))
        return PEER_GUARD_MESSAGE;
    if (!is_command) {
        if (stream->left > limits->message_bytes) return PEER_GUARD_MESSAGE;
        stream->frames++;
        stream->bytes += stream->left + PEER_GUARD_FRAME_COST;
        if (stream->frames > limits->frames || stream->bytes > limits->message_bytes)
            return PEER_GUARD_MESSAGE;
    }
    if (keeps(stream) && !stream->kept && !(stream->kept = malloc(KEPT_BYTES)))
        return PEER_GUARD_HANDSHAKE;
    stream->kept_count = 0;
    stream->phase = BODY;
    return PEER_GUARD_NONE;
}

static enum peer_guard_reason
end_frame(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    stream->phase = FLAGS;
    if (keeps(stream)) {
        enum peer_guard_reason reason = kept(stream, limits);
        if (reason) return reason;
        if (!keeps(stream)) {
            free(stream->kept);
            stream->kept = NULL;
        }
    }
    if (!(stream->flags & (COMMAND | MORE))) {
        stream->finished_bytes += stream->bytes;
        stream->frames = 0;
        stream->bytes = 0;
    }
    return PEER_GUARD_NONE;
}

/* Reads one byte of what is not a body. */
static enum peer_guard_reason
header_byte(struct peer_guard_stream *stream, const struct peer_guard_limits *limits, uint8_t byte) {
    switch (stream->phase) {
    case GREETING:
        if (!greeting_allows(stream->offset, byte)) return PEER_GUARD_HANDSHAKE;
        if (++stream->offset == GREETING_BYTES) stream->phase = FLAGS;
        return PEER_GUARD_NONE;
    case FLAGS:
        if (byte & ~(MORE | LONG | COMMAND)) return PEER_GUARD_HANDSHAKE;
        stream->flags = byte;
        stream->offset = byte & LONG ? 8 : 1;
        stream->left = 0;
        stream->phase = LENGTH;
        return PEER_GUARD_NONE;
    default:
        stream->left = stream->left << 8 | byte;
        return --stream->offset == 0 ? begin_frame(stream, limits) : PEER_GUARD_NONE;
    }
}

enum peer_guard_reason peer_guard_stream_read(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *bytes,
    size_t count) {
    stream->finished_bytes = 0;
    size_t at = 0;
    /* A frame without a body ends without another byte. */
    while (at < count || (stream->phase == BODY && stream->left == 0)) {
        enum peer_guard_reason reason;
        if (stream->phase != BODY) {
            reason = header_byte(stream, limits, bytes[at++]);
        } else {
            size_t step = stream->left < count - at ? (size_t)stream->left : count - at;
            if (keeps(stream)) {
                /* `begin_frame` has let through at most KEPT_BYTES. */
                memcpy(stream->kept + stream->kept_count, bytes + at, step);
                stream->kept_count += (uint32_t)step;
            }
            at += step;
            stream->left -= step;
            reason = stream->left == 0 ? end_frame(stream, limits) : PEER_GUARD_NONE;
        }
        if (reason) return reason;
    }
    return PEER_GUARD_NONE;
}

void peer_guard_stream_end(struct peer_guard_stream *stream) {
    free(stream->kept);
    forget_topics(stream->topics);
    memset(stream, 0, sizeof *stream);
}

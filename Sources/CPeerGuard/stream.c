/* One connection's incoming bytes, as ZMTP 3 (rfc.zeromq.org/spec/37): a greeting of 64 bytes, frames
 * of the handshake, frames of messages. Every byte comes from a stranger. */

#include "names.h"
#include "topics.h"

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
    /* The name of a command before a topic. */
    SUBSCRIBE_BYTES = 10,
    /* Name and time to live of a PING; what may stand behind them, and comes back in a PONG. */
    PING_BYTES = 5 + 2,
    CONTEXT_BYTES = 16,
};

/* ---- The greeting ---- */

static const uint8_t null[20] = "NULL", curve[20] = "CURVE";

static bool greeting_allows(const uint8_t mechanism[20], uint32_t offset, uint8_t byte) {
    if (offset == 0) return byte == 0xff;
    if (offset == 9) return byte == 0x7f;
    /* ZMTP 1.0 has no number here, 2.0 a 1: both carry an identity that nobody checks. */
    if (offset == 10) return byte >= 3;
    if (offset >= 12 && offset < 32) return byte == mechanism[offset - 12];
    return true;
}

/* ---- The handshake: one READY command with properties ---- */

static enum peer_guard_reason ready(struct peer_guard_stream *stream) {
    enum { NAME_BYTES = 1 + 5 };
    if (stream->kept_count < NAME_BYTES || memcmp(stream->kept, "\5READY", NAME_BYTES) != 0)
        return PEER_GUARD_HANDSHAKE;
    uint32_t size = stream->kept_count - NAME_BYTES;
    enum name_kind kind;
    enum peer_guard_reason reason = name_take(stream->kept + NAME_BYTES, &size, &kind);
    if (reason) return reason;
    stream->kept_count = NAME_BYTES + size;
    stream->subscribes = kind == NAME_SUBSCRIBES;
    stream->is_guest = true;
    return PEER_GUARD_NONE;
}

size_t peer_guard_stream_wants(const struct peer_guard_stream *stream, bool *is_held) {
    *is_held = stream->phase != GREETING;
    switch (stream->phase) {
    case GREETING: return GREETING_BYTES - stream->offset;
    case FLAGS: return 2;
    case LENGTH: return stream->offset;
    default: return (size_t)stream->left;
    }
}

size_t peer_guard_stream_handshake(
    struct peer_guard_stream *stream, uint64_t name, uint8_t *bytes, size_t room) {
    bool is_named = !stream->subscribes && !stream->is_sealed;
    size_t size = stream->kept_count + (is_named ? NAME_PROPERTY_BYTES : 0);
    size_t header = size < 256 ? 2 : 9;
    stream->is_said = false;
    if (header + size > room) return 0;
    uint8_t *at = bytes;
    *at++ = size < 256 ? COMMAND : COMMAND | LONG;
    for (size_t i = header - 1; i > 0; i--) *at++ = (uint8_t)(size >> 8 * (i - 1));
    memcpy(at, stream->kept, stream->kept_count);
    if (is_named) name_write(at + stream->kept_count, name);
    /* Nothing else is kept: but subscriptions that can be read. */
    if (stream->is_guest && (stream->is_sealed || !stream->subscribes)) {
        free(stream->kept);
        stream->kept = NULL;
    }
    return header + size;
}

/* ---- Encrypted connections: their frames are counted, and libzmq checks what is in them ---- */

/* A client sends HELLO and INITIATE. What is in INITIATE, libzmq and the list of keys decide on. */
static enum peer_guard_reason sealed_handshake(struct peer_guard_stream *stream) {
    enum { HELLO_BYTES = 200, LEAST_INITIATE_BYTES = 257 };
    const uint8_t *body = stream->kept;
    if (!stream->has_greeted) {
        if (stream->kept_count != HELLO_BYTES || memcmp(body, "\5HELLO", 6) != 0)
            return PEER_GUARD_HANDSHAKE;
        stream->has_greeted = true;
        return PEER_GUARD_NONE;
    }
    if (stream->kept_count < LEAST_INITIATE_BYTES || memcmp(body, "\10INITIATE", 9) != 0)
        return PEER_GUARD_HANDSHAKE;
    stream->is_guest = true;
    return PEER_GUARD_NONE;
}

/* Of a frame's content what may be a topic: libzmq's SUBSCRIBE stands before it. */
static uint64_t less_name(uint64_t content) {
    return content > SUBSCRIBE_BYTES ? content - SUBSCRIBE_BYTES : 0;
}

/* A frame of messages begins. Which ones belong together, and which are pings, is not to be seen. */
static enum peer_guard_reason
begin_sealed(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    /* libzmq has not opened INITIATE by the guard, or has not done it yet. */
    if (!stream->subscribes && !stream->is_named) return PEER_GUARD_HANDSHAKE;
    if (stream->left < PEER_GUARD_SEAL_BYTES) return PEER_GUARD_MESSAGE;
    uint64_t content = stream->left - PEER_GUARD_SEAL_BYTES;
    /* A viewer has nothing longer to say than the longest topic. */
    if (stream->subscribes && content > SUBSCRIBE_BYTES + limits->topic_bytes)
        return PEER_GUARD_TOPICS;
    if (stream->left > limits->message_bytes) return PEER_GUARD_MESSAGE;
    stream->bytes = content + PEER_GUARD_FRAME_COST;
    stream->phase = BODY;
    return PEER_GUARD_NONE;
}

static void end_sealed(struct peer_guard_stream *stream) {
    if (stream->subscribes) {
        uint64_t topic = less_name(stream->bytes - PEER_GUARD_FRAME_COST);
        stream->subscriptions++;
        stream->coming_bytes += (uint32_t)topic + PEER_GUARD_TOPIC_COST;
    }
    stream->finished_bytes += stream->bytes;
    stream->bytes = 0;
}

/* ---- Frames ---- */

/* The body of a frame whose whole content matters has arrived. */
static enum peer_guard_reason
kept(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    if (!stream->is_guest) {
        stream->is_said = true;
        return stream->is_sealed ? sealed_handshake(stream) : ready(stream);
    }
    const uint8_t *body = stream->kept;
    uint32_t count = stream->kept_count, name = 0;
    bool begins;
    bool is_command = stream->flags & COMMAND;
    if (is_command && count >= 5 && memcmp(body, "\4PING", 5) == 0) {
        /* libzmq answers a shorter one with 16 bytes of what lies behind it. */
        if (count < PING_BYTES || count > PING_BYTES + CONTEXT_BYTES) return PEER_GUARD_MESSAGE;
        stream->pings++;
        return PEER_GUARD_NONE;
    }
    if (is_command && count >= 5 && memcmp(body, "\4PONG", 5) == 0) {
        stream->pongs++;
        return count > 5 + CONTEXT_BYTES ? PEER_GUARD_MESSAGE : PEER_GUARD_NONE;
    }
    /* libzmq hands every other command on as a message, also to the request endpoint. */
    if (!stream->subscribes) return PEER_GUARD_MESSAGE;
    if (!is_command) {
        /* Before ZMTP 3.1 a message is a subscription: 1 or 0, then the topic. */
        if (count == 0 || body[0] > 1) return PEER_GUARD_TOPICS;
        begins = body[0] == 1;
        name = 1;
    } else if (count >= SUBSCRIBE_BYTES && memcmp(body, "\11SUBSCRIBE", SUBSCRIBE_BYTES) == 0) {
        begins = true;
        name = SUBSCRIBE_BYTES;
    } else if (count >= 7 && memcmp(body, "\6CANCEL", 7) == 0) {
        begins = false;
        name = 7;
    } else {
        return PEER_GUARD_TOPICS;
    }
    if (count - name > limits->topic_bytes || !topic_is_of_protocol(body + name, count - name))
        return PEER_GUARD_TOPICS;
    /* A command too becomes a message of libzmq's. */
    if (stream->flags & COMMAND) stream->finished_bytes += count + PEER_GUARD_FRAME_COST;
    stream->subscriptions++;
    if (!begins) topic_cancel(stream, body + name, count - name);
    else if (!topic_subscribe(stream, limits, body + name, count - name)) return PEER_GUARD_TOPICS;
    return PEER_GUARD_NONE;
}

/* Whether the whole content of a frame matters. */
static bool keeps(const struct peer_guard_stream *stream) {
    if (stream->is_guest && stream->is_sealed) return false;
    return !stream->is_guest || stream->subscribes || (stream->flags & COMMAND);
}

/* A frame's flags and length are known. */
static enum peer_guard_reason
begin_frame(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    bool is_command = stream->flags & COMMAND;
    if (stream->is_guest && stream->is_sealed) return begin_sealed(stream, limits);
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
    if (stream->is_guest && stream->is_sealed) {
        end_sealed(stream);
        return PEER_GUARD_NONE;
    }
    if (keeps(stream)) {
        enum peer_guard_reason reason = kept(stream, limits);
        if (reason) return reason;
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
        if (!greeting_allows(stream->is_sealed ? curve : null, stream->offset, byte))
            return PEER_GUARD_HANDSHAKE;
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
    stream->subscriptions = 0;
    stream->coming_bytes = 0;
    stream->pings = stream->pongs = 0;
    size_t at = 0;
    /* A frame without a body ends without another byte. */
    while (at < count || (stream->phase == BODY && stream->left == 0)) {
        enum peer_guard_reason reason;
        if (stream->phase == FLAGS && count - at >= 2 && !(bytes[at] & ~(MORE | COMMAND))) {
            /* Of a short frame, as most are: the same as byte by byte. */
            stream->flags = bytes[at];
            stream->left = bytes[at + 1];
            stream->offset = 0;
            at += 2;
            reason = begin_frame(stream, limits);
        } else if (stream->phase != BODY) {
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
    topic_forget(stream);
    memset(stream, 0, sizeof *stream);
}

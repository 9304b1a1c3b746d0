/* One connection's incoming bytes, as ZMTP 3 (rfc.zeromq.org/spec/37), in a state machine: its stages are
 *
 *     GREETING -> READY                      -> ASKER or VIEWER
 *     GREETING -> HELLO -> INITIATE          -> SEALED            at an encrypted endpoint
 *
 * and each but the first takes whole frames, which have phases. Every byte comes from a stranger. */

#include "names.h"
#include "topics.h"

#include <stdlib.h>
#include <string.h>

enum stage { GREETING, HELLO, INITIATE, READY, ASKER, VIEWER, SEALED };

enum phase { FLAGS, LENGTH, BODY };

enum {
    GREETING_BYTES = 64,
    MORE = 1,
    LONG = 2,
    COMMAND = 4,
    /* A command or a subscription that is larger is none of ours. */
    KEPT_BYTES = 1024,
    /* The name of a command before a topic. */
    SUBSCRIBE_BYTES = 1 + 9,
    CANCEL_BYTES = 1 + 6,
    /* Name and time to live of a PING, the name of a PONG; what may stand behind them. */
    PING_BYTES = 1 + 4 + 2,
    PONG_BYTES = 1 + 4,
    CONTEXT_BYTES = 16,
};

/* ---- The greeting ---- */

static bool greeting_allows(bool is_sealed, uint32_t offset, uint8_t byte) {
    static const uint8_t null[20] = "NULL", curve[20] = "CURVE";
    if (offset == 0) return byte == 0xff;
    if (offset == 9) return byte == 0x7f;
    /* ZMTP 1.0 has no number here, 2.0 a 1: both carry an identity that nobody checks. */
    if (offset == 10) return byte >= 3;
    if (offset >= 12 && offset < 32) return byte == (is_sealed ? curve : null)[offset - 12];
    return true;
}

/* ---- The handshake ---- */

static void become_guest(struct peer_guard_stream *stream) {
    stream->is_guest = true;
    stream->stage = stream->is_sealed ? SEALED : stream->subscribes ? VIEWER : ASKER;
}

/* Whether the whole command is of this name, and at least so long. */
static bool begins_with(const struct peer_guard_stream *stream, const char *name, uint32_t least) {
    size_t size = strlen(name);
    return stream->kept_count >= size && stream->kept_count >= least
        && memcmp(stream->kept, name, size) == 0;
}

static enum peer_guard_reason
hello(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    enum { HELLO_BYTES = 200 };
    (void)limits;
    if (stream->kept_count != HELLO_BYTES || !begins_with(stream, "\5HELLO", 0))
        return PEER_GUARD_HANDSHAKE;
    stream->stage = INITIATE;
    return PEER_GUARD_NONE;
}

/* libzmq and the list of keys decide on what is in it. */
static enum peer_guard_reason
initiate(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    enum { LEAST_BYTES = 257 };
    (void)limits;
    if (!begins_with(stream, "\10INITIATE", LEAST_BYTES)) return PEER_GUARD_HANDSHAKE;
    become_guest(stream);
    return PEER_GUARD_NONE;
}

static enum peer_guard_reason
ready(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    enum { NAME_BYTES = 1 + 5 };
    (void)limits;
    if (!begins_with(stream, "\5READY", 0)) return PEER_GUARD_HANDSHAKE;
    uint32_t size = stream->kept_count - NAME_BYTES;
    enum name_kind kind;
    enum peer_guard_reason reason = name_take(stream->kept + NAME_BYTES, &size, &kind);
    if (reason) return reason;
    stream->kept_count = NAME_BYTES + size;
    stream->subscribes = kind == NAME_SUBSCRIBES;
    become_guest(stream);
    return PEER_GUARD_NONE;
}

size_t peer_guard_stream_wants(const struct peer_guard_stream *stream, bool *is_held) {
    *is_held = stream->stage != GREETING;
    if (!*is_held) return GREETING_BYTES - stream->offset;
    switch (stream->phase) {
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
    if (stream->stage == ASKER || stream->stage == SEALED) {
        free(stream->kept);
        stream->kept = NULL;
    }
    return header + size;
}

/* ---- Encrypted connections: their frames are counted, and libzmq checks what is in them ---- */

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
        /* libzmq's SUBSCRIBE stands before what may be a topic. */
        uint32_t content = (uint32_t)(stream->bytes - PEER_GUARD_FRAME_COST);
        stream->subscriptions++;
        stream->coming_bytes += PEER_GUARD_TOPIC_COST;
        if (content > SUBSCRIBE_BYTES) stream->coming_bytes += content - SUBSCRIBE_BYTES;
    }
    stream->finished_bytes += stream->bytes;
    stream->bytes = 0;
}

/* ---- Commands of a guest, and subscriptions ---- */

static enum peer_guard_reason
command(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    (void)limits;
    uint32_t count = stream->kept_count;
    /* libzmq hands every other command on as a message, also to the request endpoint. */
    bool is_ping = begins_with(stream, "\4PING", 0);
    if (!is_ping && !begins_with(stream, "\4PONG", 0)) return PEER_GUARD_MESSAGE;
    /* libzmq answers a shorter PING with 16 bytes of what lies behind it. */
    uint32_t least = is_ping ? PING_BYTES : PONG_BYTES;
    if (count < least || count > least + CONTEXT_BYTES) return PEER_GUARD_MESSAGE;
    if (is_ping) stream->pings++;
    else stream->pongs++;
    return PEER_GUARD_NONE;
}

static enum peer_guard_reason
subscription(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    const uint8_t *body = stream->kept;
    uint32_t count = stream->kept_count, name;
    bool begins;
    if (!(stream->flags & COMMAND)) {
        /* Before ZMTP 3.1 a message is a subscription: 1 or 0, then the topic. */
        if (count == 0 || body[0] > 1) return PEER_GUARD_TOPICS;
        begins = body[0] == 1;
        name = 1;
    } else if ((begins = begins_with(stream, "\11SUBSCRIBE", 0))) {
        name = SUBSCRIBE_BYTES;
    } else if (begins_with(stream, "\6CANCEL", 0)) {
        name = CANCEL_BYTES;
    } else {
        bool is_known = begins_with(stream, "\4PING", 0) || begins_with(stream, "\4PONG", 0);
        return is_known ? command(stream, limits) : PEER_GUARD_TOPICS;
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

/* ---- Frames ---- */

/* Each stage has a function that reads the frames whose whole content matters, and a reason for which a connection
 * ends that sends another kind of frame, or a larger one. */
static const struct {
    enum peer_guard_reason (*read)(struct peer_guard_stream *, const struct peer_guard_limits *);
    enum peer_guard_reason fault;
} stages[] = {
    [HELLO] = {hello, PEER_GUARD_HANDSHAKE},
    [INITIATE] = {initiate, PEER_GUARD_HANDSHAKE},
    [READY] = {ready, PEER_GUARD_HANDSHAKE},
    [ASKER] = {command, PEER_GUARD_MESSAGE},
    [VIEWER] = {subscription, PEER_GUARD_TOPICS},
};

/* Whether the whole content of a frame matters: not of requests, nor where it cannot be read. */
static bool keeps(const struct peer_guard_stream *stream) {
    if (stream->stage == ASKER) return stream->flags & COMMAND;
    return stream->stage != SEALED;
}

/* A frame's flags and length are known. */
static enum peer_guard_reason
begin_frame(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    bool is_command = stream->flags & COMMAND;
    if (stream->stage == SEALED) return begin_sealed(stream, limits);
    if (keeps(stream)) {
        bool is_allowed = stream->is_guest ? !(stream->flags & MORE) : is_command;
        if (!is_allowed || stream->left > KEPT_BYTES) return stages[stream->stage].fault;
        if (!stream->kept && !(stream->kept = malloc(KEPT_BYTES))) return PEER_GUARD_HANDSHAKE;
    }
    if (!is_command) {
        if (stream->left > limits->message_bytes) return PEER_GUARD_MESSAGE;
        stream->frames++;
        stream->bytes += stream->left + PEER_GUARD_FRAME_COST;
        if (stream->frames > limits->frames || stream->bytes > limits->message_bytes)
            return PEER_GUARD_MESSAGE;
    }
    stream->kept_count = 0;
    stream->phase = BODY;
    return PEER_GUARD_NONE;
}

static enum peer_guard_reason
end_frame(struct peer_guard_stream *stream, const struct peer_guard_limits *limits) {
    stream->phase = FLAGS;
    if (stream->stage == SEALED) {
        end_sealed(stream);
        return PEER_GUARD_NONE;
    }
    if (keeps(stream)) {
        stream->is_said = !stream->is_guest;
        enum peer_guard_reason reason = stages[stream->stage].read(stream, limits);
        if (reason) return reason;
    }
    if (!(stream->flags & (COMMAND | MORE))) {
        stream->finished_bytes += stream->bytes;
        stream->frames = 0;
        stream->bytes = 0;
    }
    return PEER_GUARD_NONE;
}

static enum peer_guard_reason greeting_byte(struct peer_guard_stream *stream, uint8_t byte) {
    if (!greeting_allows(stream->is_sealed, stream->offset, byte)) return PEER_GUARD_HANDSHAKE;
    if (++stream->offset == GREETING_BYTES) stream->stage = stream->is_sealed ? HELLO : READY;
    return PEER_GUARD_NONE;
}

/* Reads one byte of what stands before a body. */
static enum peer_guard_reason
header_byte(struct peer_guard_stream *stream, const struct peer_guard_limits *limits, uint8_t byte) {
    if (stream->stage == GREETING) return greeting_byte(stream, byte);
    if (stream->phase == FLAGS) {
        if (byte & ~(MORE | LONG | COMMAND)) return PEER_GUARD_HANDSHAKE;
        stream->flags = byte;
        stream->offset = byte & LONG ? 8 : 1;
        stream->left = 0;
        stream->phase = LENGTH;
        return PEER_GUARD_NONE;
    }
    stream->left = stream->left << 8 | byte;
    return --stream->offset == 0 ? begin_frame(stream, limits) : PEER_GUARD_NONE;
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
        if (stream->stage != GREETING && stream->phase == FLAGS && count - at >= 2
            && !(bytes[at] & ~(MORE | COMMAND))) {
            /* Most frames are short: this does the same as byte by byte. */
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

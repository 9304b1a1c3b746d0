/* The guard's reading of a connection, in parts of any size; the address sanitizer watches. With the
 * input's first byte even, a greeting and a READY stand before it: else it would be long before
 * libFuzzer came that far. */

#include "stream.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t begin[] = {
    0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 1, 'N', 'U', 'L', 'L', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t subscriber[] = "\4\31\5READY\13Socket-Type\0\0\0\3SUB";
static const uint8_t dealer[] = "\4\34\5READY\13Socket-Type\0\0\0\6DEALER";

static enum peer_guard_reason
read_whole(struct peer_guard_stream *stream, const struct peer_guard_limits *limits,
           const uint8_t *bytes, size_t count) {
    /* A copy of just this size, so that a byte too many is seen. */
    uint8_t *copy = malloc(count ? count : 1);
    memcpy(copy, bytes, count);
    enum peer_guard_reason reason = peer_guard_stream_read(stream, limits, copy, count);
    free(copy);
    return reason;
}

/* Encrypted properties of just this size. */
static int name_sealed(const uint8_t *bytes, size_t count) {
    uint8_t *copy = malloc(count ? count : 1);
    memcpy(copy, bytes, count);
    static const uint8_t id[] = "\10Identity\0\0";
    if (!peer_guard_name_sealed(copy, (uint32_t)count, 7) && memcmp(copy, id, sizeof id)) abort();
    free(copy);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct peer_guard_limits limits = {
        .frames = 10, .message_bytes = 10000, .topic_bytes = 100, .topics = 20, .topics_bytes = 500};
    if (size < 2) return 0;
    uint8_t how = data[0], step = data[1] ? data[1] : 255;
    /* Of this connection, and of another one that has some of the same. */
    static struct peer_guard_topics all;
    struct peer_guard_stream stream = {.all_topics = &all}, other = {.all_topics = &all};
    enum peer_guard_reason reason = PEER_GUARD_NONE;
    if (how % 2 == 0) {
        reason = read_whole(&stream, &limits, begin, sizeof begin);
        if (!reason && how % 4 == 0)
            reason = read_whole(&stream, &limits, subscriber, sizeof subscriber - 1);
        else if (!reason && how % 8 == 2)
            reason = read_whole(&stream, &limits, dealer, sizeof dealer - 1);
        if (reason) abort();
    }
    if (how % 16 == 7) return name_sealed(data + 2, size - 2);
    for (size_t at = 2; at < size && !reason; at += step)
        reason = read_whole(&stream, &limits, data + at, size - at < step ? size - at : step);
    if (!reason && stream.bytes > limits.message_bytes) abort();
    uint8_t room[2048];
    if (!reason && stream.is_said && !peer_guard_stream_handshake(&stream, 7, room, sizeof room)) abort();
    static const uint8_t some[] = "\0\5\1j/a/\0\5\1b/a/\0\3\1j/";
    read_whole(&other, &limits, begin, sizeof begin);
    read_whole(&other, &limits, subscriber, sizeof subscriber - 1);
    if (read_whole(&other, &limits, some, sizeof some - 1) || all.count < 3) abort();
    peer_guard_stream_end(&stream);
    if (all.count != 3 || all.subscriptions != 3 || all.bytes != 10) abort();
    peer_guard_stream_end(&other);
    if (all.count || all.subscriptions || all.bytes) abort();
    return 0;
}

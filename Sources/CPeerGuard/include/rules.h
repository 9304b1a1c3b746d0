#pragma once

#include <stdint.h>

/* Why a connection was ended, or not let in, with its name in `stats` and in the log. */
#define PEER_GUARD_ALL_REASONS(REASON) \
    REASON(NONE, "none") \
    /* Not ZMTP 3, another mechanism than the endpoint's, or a handshake that is none. */ \
    REASON(HANDSHAKE, "handshake") \
    /* It claims a routing id that begins with 0: libzmq aborts when one of its own is taken. Or it says \
     * `Identity` twice, or in other letters. */ \
    REASON(IDENTITY, "identity") \
    REASON(MESSAGE, "message") \
    REASON(FLOOD, "flood") \
    REASON(TOPICS, "topics") \
    REASON(UNREAD, "unread") \
    /* It was silent before its handshake while others waited to come in. */ \
    REASON(SILENT, "silent") \
    REASON(FULL, "full") \
    /* A key was revoked: all encrypted connections begin anew. */ \
    REASON(KEYS, "keys") \
    /* It may read less than when it subscribed. */ \
    REASON(REVOKED, "revoked") \
    /* An administrator has ended it. */ \
    REASON(ADMINISTRATOR, "administrator")

#define PEER_GUARD_REASON(name, text) PEER_GUARD_##name,
enum peer_guard_reason { PEER_GUARD_ALL_REASONS(PEER_GUARD_REASON) PEER_GUARD_REASONS };

/* The guard remembers so many connections that have gone while their requests wait. */
enum { PEER_GUARD_LEFT = 1024 };

/* Each rule: type, name, bound, the reason for which it ends a connection, and why there is such a bound. Sizes
 * are in bytes, times in milliseconds. Where the reason is NONE, nothing is ended: something waits, or another
 * bound falls. `connections` and `message_bytes` are the configuration's; only they change while a process lives. */
#define PEER_GUARD_ALL_RULES(RULE) \
    RULE(uint32_t, connections, 700, FULL, "libzmq takes 86 KiB for each that was used") \
    RULE(uint32_t, strangers, 1024, SILENT, \
         "in their handshake; the first of them makes room: among 3,000 newcomers a second each has 0.3 s") \
    RULE(uint32_t, strangers_of_one, 256, SILENT, \
         "the same of one process: a refusal costs a hundredth of what a newcomer costs in libzmq") \
    RULE(uint32_t, patience_ms, 500, SILENT, "so long the first of these may be silent") \
    RULE(uint32_t, left, PEER_GUARD_LEFT, FULL, "have gone while their requests wait: libzmq gives each a turn") \
    RULE(uint32_t, frames, 1024, MESSAGE, "libzmq holds all of a request's frames until the last") \
    RULE(uint64_t, message_bytes, 0, MESSAGE, "up to here a request is refused by name") \
    RULE(uint64_t, unfinished_ms, 30000, MESSAGE, "so long a request may stay unfinished") \
    RULE(uint64_t, unfinished_bytes, 16 << 20, MESSAGE, "of all unfinished requests; the oldest goes first") \
    RULE(uint32_t, pings, 20, FLOOD, "at once; more of a viewer that waited at the turnstile, where they gather") \
    RULE(uint32_t, ping_ms, 100, FLOOD, \
         "libzmq answers each at once, on the thread that reads all; a PONG costs a tenth") \
    RULE(uint64_t, waiting_bytes, 16 << 20, FLOOD, "of one connection, that the daemon has not come to") \
    RULE(uint64_t, all_waiting_bytes, 24 << 20, FLOOD, "of all, for each inbox; beyond it each has a share") \
    RULE(uint32_t, topic_bytes, 256 + 4, TOPICS, "the longest table's name, and what stands around it for presence") \
    RULE(uint32_t, topics, 1024, TOPICS, "of one connection") \
    RULE(uint32_t, topics_bytes, 16 << 10, TOPICS, "of one connection") \
    RULE(uint32_t, all_topics_bytes, 48 << 10, TOPICS, \
         "different topics of all, with their cost: libzmq walks them when a viewer goes, at 220 ns a byte") \
    RULE(uint32_t, subscriptions, 65536, TOPICS, "of all") \
    RULE(uint32_t, coming_bytes, 4 << 10, NONE, \
         "topics of an encrypted viewer that the daemon has not come to; then it waits") \
    RULE(uint64_t, unread_replies, 4 << 20, NONE, "of one connection; then its requests and replies are dropped") \
    RULE(uint64_t, few_replies, 256 << 10, NONE, "the same where all have too much") \
    RULE(uint64_t, all_unread_replies, 24 << 20, UNREAD, "of all; who read nothing for the longest time goes") \
    RULE(uint64_t, unread_publications, 8 << 20, UNREAD, \
         "since a viewer stopped reading; where it reads slowly four times") \
    RULE(uint64_t, held_bytes, 24 << 20, NONE, \
         "of all kinds: each bound of all falls down to a fourth where the others hold more")

#define PEER_GUARD_RULE_FIELD(type, name, bound, reason, why) type name;
struct peer_guard_limits { PEER_GUARD_ALL_RULES(PEER_GUARD_RULE_FIELD) };

/* A frame, a whole reply and a topic take so much in libzmq besides their bytes. */
enum { PEER_GUARD_FRAME_COST = 64, PEER_GUARD_REPLY_COST = 256, PEER_GUARD_TOPIC_COST = 16 };

/* The bounds of the table. */
struct peer_guard_limits peer_guard_rules(void);

const char *peer_guard_reason_name(enum peer_guard_reason reason);

#ifndef TRESTLE_PEER_GUARD_H
#define TRESTLE_PEER_GUARD_H

/* A guard between the network and libzmq: it reads along with every accepted connection and ends
 * those that break a rule, before libzmq acts on what they sent. Why it is there, and what else was
 * tried, is in docs/decisions/0022-peer-guard.md.
 *
 * It takes the place of six functions of the C library in this process: accept4, recv, send, close,
 * epoll_ctl and epoll_wait, and of one of libsodium: crypto_box_open. Connections that were not accepted here are passed through untouched, and
 * so is everything before `peer_guard_start`.
 *
 * "I/O thread" is libzmq's, which makes those calls. "State thread" is the daemon's own. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a connection was ended, or not let in. The names are in `stats`. */
enum peer_guard_reason {
    PEER_GUARD_NONE = 0,
    /* Not ZMTP 3, another mechanism than the endpoint's, or a handshake that is none. */
    PEER_GUARD_HANDSHAKE,
    /* Asks for a routing id that begins with 0: such ids are libzmq's own, and it aborts when one
     * is taken. Or says `Identity` twice, or in other letters. */
    PEER_GUARD_IDENTITY,
    /* A message of too many frames or bytes, or one that stays unfinished. */
    PEER_GUARD_MESSAGE,
    /* Requests that arrive faster than they are taken in, or too many PINGs or PONGs. */
    PEER_GUARD_FLOOD,
    /* Topics that are too many, too long or not of this protocol, or something else than a
     * subscription at the publish endpoint. */
    PEER_GUARD_TOPICS,
    /* Does not read what it asked for. */
    PEER_GUARD_UNREAD,
    /* Silent before its handshake while others wait to come in. */
    PEER_GUARD_SILENT,
    /* There are as many connections as there may be, and no other user has more of them. */
    PEER_GUARD_FULL,
    /* A key was revoked: all encrypted connections begin anew. */
    PEER_GUARD_KEYS,
    /* May read less than when it subscribed. */
    PEER_GUARD_REVOKED,
    PEER_GUARD_REASONS,
};

/* Bounds. All sizes are in bytes. They hold as long as the process, but for the two that
 * `peer_guard_change` changes. */
struct peer_guard_limits {
    /* Connections at a time, and how many of them may not have ended their handshake. */
    uint32_t connections;
    uint32_t strangers;
    /* The same of one process of this machine. */
    uint32_t strangers_of_one;
    /* A request: frames, and bytes of all of them. */
    uint32_t frames;
    uint64_t message_bytes;
    /* How long a request may stay unfinished, in milliseconds, and how much all unfinished ones
     * may take. */
    uint64_t unfinished_ms;
    uint64_t unfinished_bytes;
    /* Messages of one connection, and of all, that the daemon has not come to yet; for each inbox
     * apart. */
    uint64_t waiting_bytes;
    uint64_t all_waiting_bytes;
    /* A topic, the topics of a connection, and their bytes together. */
    uint32_t topic_bytes;
    uint32_t topics;
    uint32_t topics_bytes;
    /* Different topics of all connections, in bytes with PEER_GUARD_TOPIC_COST; subscriptions to them. */
    uint32_t all_topics_bytes;
    uint32_t subscriptions;
    /* Replies of one connection, and of all, that the peers have not read: large ones, and small
     * ones since the peer has not taken all. */
    uint64_t unread_replies;
    uint64_t all_unread_replies;
    /* Publications since a viewer stopped reading; four times as much where it reads slowly. */
    uint64_t unread_publications;
    /* Messages that are unfinished or wait, and replies and publications that are not read, together:
     * each of those bounds of all falls down to a fourth of itself where the others hold more. */
    uint64_t held_bytes;
};

/* What was seen so far. */
struct peer_guard_figures {
    uint32_t connections;
    uint32_t strangers;
    /* By reason; a connection counts once. */
    uint64_t ended[PEER_GUARD_REASONS];
    /* The peer that was ended last: its user and process on a unix socket, else -1. So is a process outside
     * the daemon's namespace of process numbers. */
    int64_t last_uid;
    int64_t last_pid;
};

/* Begins to guard connections accepted from now on. Before the first bind, from the state thread.
 * Returns 0; -1 when libzmq does not call this process's functions; or an errno. */
int peer_guard_start(const struct peer_guard_limits *limits);

/* Connections to this port are encrypted: CURVE and nothing else. Their messages cannot be read, only
 * counted (docs/decisions/0029). Before the first bind; -1: there are too many; -2: libzmq does not decrypt
 * with libsodium. */
int peer_guard_seal(uint16_t port, bool subscribes);

/* State thread: ends all encrypted connections. */
void peer_guard_end_sealed(void);

/* State thread: a whole message of this encrypted connection was taken in. */
void peer_guard_took_sealed(int descriptor);

/* State thread: a viewer has subscribed to a topic, or no longer. The connection is the one that
 * `peer_guard_is_open` means. Of open connections the guard knows it already. */
void peer_guard_took_topic(
    int descriptor, uint64_t let_in_ns, bool begins, const uint8_t *topic, uint32_t size);

/* State thread: other bounds from now on. Connections that are there stay, however many they are. */
void peer_guard_change(uint32_t connections, uint64_t message_bytes);

/* State thread: so many bytes were given to libzmq for everyone who subscribed. */
void peer_guard_published(uint64_t bytes);

/* State thread: how often libzmq has sent to viewers, or to those who ask. */
uint64_t peer_guard_sends(bool to_viewers);

/* What the daemon takes in. */
enum peer_guard_inbox { PEER_GUARD_REQUESTS, PEER_GUARD_SUBSCRIPTIONS, PEER_GUARD_INBOXES };

/* State thread: what had arrived when this is called, for `peer_guard_drained`. */
uint64_t peer_guard_arrived(enum peer_guard_inbox inbox);

/* State thread: whether so many requests wait that it matters whose they are. */
bool peer_guard_is_crowded(void);

/* State thread: a message of so many frames and bytes is taken in. Whose it was need be said only of
 * requests, and where it is crowded; else −1. */
void peer_guard_took(
    enum peer_guard_inbox inbox, uint64_t frames, uint64_t bytes, int descriptor);

/* State thread: everything is taken in that had arrived at that time. */
void peer_guard_drained(enum peer_guard_inbox inbox, uint64_t arrived);

/* State thread: a turn begins. Returns whether a connection that asks has not taken all that it was
 * sent: only then do small replies need to be counted. */
bool peer_guard_turn(void);

/* State thread: whether a reply to this connection would not be dropped, as far as is known yet. */
bool peer_guard_reads(int descriptor, uint64_t connection);

/* State thread: may a reply of so many bytes go to this connection? If so it is counted as unread
 * until the connection has sent that much. A descriptor that is not guarded may always. `connection`
 * is larger for a later connection, so that none pays for one that had its descriptor before. */
bool peer_guard_may_reply(int descriptor, uint64_t connection, uint64_t bytes);

/* State thread, every second and after every few megabytes of publications: ends connections that
 * do not read, or do not finish what they began. */
void peer_guard_look(void);

/* State thread: ends the viewers of this user, or with -1 those that came by tcp. */
void peer_guard_end_viewers(int64_t uid);

/* State thread: whether the connection that had this descriptor when it was let in, at a time of
 * CLOCK_MONOTONIC in nanoseconds, still has it. libzmq's own object for it lives at least as long. */
bool peer_guard_is_open(int descriptor, uint64_t let_in_ns);

/* State thread: ends a viewer that sends what is no subscription. */
void peer_guard_end_viewer(int descriptor);

/* State thread: how many connections a user has; with -1, how many came by tcp. */
uint32_t peer_guard_connections_of(int64_t uid);

void peer_guard_read(struct peer_guard_figures *figures);

/* ---- One connection's incoming bytes. Public for its tests and its fuzzer. ---- */

struct peer_guard_topics;

/* The different topics of several connections, and the subscriptions to them. All zero: none. */
struct peer_guard_all_topics {
    uint32_t count;
    uint32_t bytes;
    uint32_t subscriptions;
    struct peer_guard_topics *set;
};

/* Where a stream of ZMTP stands. All zero: at its beginning. */
struct peer_guard_stream {
    uint8_t phase;
    uint8_t flags;
    /* Whether the handshake has ended, and whether the peer is a subscriber. */
    bool is_guest;
    bool subscribes;
    /* Encrypted: the port says it, and whether it is one for subscribers. */
    bool is_sealed;
    /* Of the handshake: whether HELLO has come, and whether a whole command has that libzmq has not seen. */
    bool has_greeted, is_said;
    /* Of an encrypted one: whether it has a routing id of the guard's. */
    bool is_named;
    /* Bytes of the present part that were read, of the frame's body that are left. */
    uint32_t offset;
    uint64_t left;
    /* Of the unfinished message: frames, their bytes, and what they take in libzmq besides. */
    uint32_t frames;
    uint64_t bytes;
    /* The same of messages that ended in what was read last. */
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
    struct peer_guard_topics *topics;
    /* Where they are counted too, if anywhere: those of all, and those of its user. */
    struct peer_guard_all_topics *all_topics;
    struct peer_guard_all_topics *user_topics;
};

/* What an encrypted frame has besides its content: name, nonce, seal, flags. */
enum { PEER_GUARD_SEAL_BYTES = 8 + 8 + 16 + 1 };

/* What a frame, a whole reply and a topic take in libzmq besides their bytes. */
enum { PEER_GUARD_FRAME_COST = 64, PEER_GUARD_REPLY_COST = 256, PEER_GUARD_TOPIC_COST = 16 };

/* Reads along; PEER_GUARD_NONE while no rule is broken. After another answer the stream must not
 * be used again, only let go. */
enum peer_guard_reason peer_guard_stream_read(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *bytes,
    size_t count);

/* What is to be read next at most, so that a command of the handshake can be held back until it is whole.
 * `is_held`: not the greeting. */
size_t peer_guard_stream_wants(const struct peer_guard_stream *stream, bool *is_held);

/* Once, when `is_said`: writes the command as libzmq is to see it, and returns its size; 0: no room. In READY
 * of a client that asks this routing id stands instead of the one that it has claimed, if it has. */
size_t peer_guard_stream_handshake(
    struct peer_guard_stream *stream, uint64_t name, uint8_t *bytes, size_t room);

/* Writes this routing id into the properties of a client that asks, in their place and of the same size: what
 * else it says of itself libzmq does not see. */
enum peer_guard_reason peer_guard_name_sealed(uint8_t *properties, uint32_t size, uint64_t name);

/* Bytes of its topics, with their cost. */
uint32_t peer_guard_topics_bytes(const struct peer_guard_stream *stream);

/* Frees what it holds. */
void peer_guard_stream_end(struct peer_guard_stream *stream);

/* What is to be done at the next wait about a connection whose wish epoll may not know. */
enum peer_guard_interest {
    /* Nothing: epoll knows. */
    PEER_GUARD_KNOWN,
    /* To say that there is room to write, without asking. */
    PEER_GUARD_HAS_ROOM,
    /* To ask epoll. */
    PEER_GUARD_ASK,
};

/* From the events that are wanted of it, those that epoll was asked for, and whether the kernel took
 * less than it was last given. */
enum peer_guard_interest
peer_guard_interest(uint32_t wanted, uint32_t told, bool is_blocked);

#endif

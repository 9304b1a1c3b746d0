#pragma once

/* A guard between the network and libzmq: it reads along with every accepted connection and ends
 * those that break a rule (rules.h), before libzmq acts on what they sent. Why it is there, and what else was
 * tried, is in docs/decisions/0022-peer-guard.md.
 *
 * It takes the place of six functions of the C library in this process: accept4, recv, send, close,
 * epoll_ctl and epoll_wait, and of one of libsodium: crypto_box_open. Connections that were not accepted here
 * are passed through untouched, and so is everything before `peer_guard_start`.
 *
 * libzmq's I/O thread makes those calls. All functions below are called from the daemon's state thread. */

#include "rules.h"

#include <stdbool.h>

/* Counts since the start. */
struct peer_guard_figures {
    uint32_t connections, strangers;
    /* By reason; a connection counts once. */
    uint64_t ended[PEER_GUARD_REASONS];
    /* User and process of the peer that was ended last; -1: not known, as of tcp, and of a process outside the
     * daemon's namespace of process numbers. */
    int64_t last_uid, last_pid;
};

/* The two kinds of messages that the daemon takes in. */
enum peer_guard_inbox { PEER_GUARD_REQUESTS, PEER_GUARD_SUBSCRIPTIONS, PEER_GUARD_INBOXES };

/* Begins to guard connections accepted from now on. Before the first bind.
 * Returns 0; -1 when libzmq does not call this process's functions; or an errno. */
int peer_guard_start(const struct peer_guard_limits *limits);

/* Connections to this port are encrypted: CURVE and nothing else. Their messages cannot be read, only
 * counted (docs/decisions/0029). Before the first bind; -1: there are too many; -2: libzmq does not decrypt
 * with libsodium. */
int peer_guard_seal(uint16_t port, bool subscribes);

/* Other bounds from now on. Connections that are there stay, however many they are. */
void peer_guard_change(uint32_t connections, uint64_t message_bytes);

/* ---- A turn ---- */

/* A turn begins. Returns whether a connection that asks has not taken all that it was
 * sent: only then do small replies need to be counted. */
bool peer_guard_turn(void);

/* The bytes that have arrived so far, for `peer_guard_drained`. */
uint64_t peer_guard_arrived(enum peer_guard_inbox inbox);

/* Whether so many requests wait that it matters whose they are. */
bool peer_guard_is_crowded(void);

/* A message of so many frames and bytes is taken in. Whose it was need be said only of
 * requests, and where it is crowded; else -1. */
void peer_guard_took(
    enum peer_guard_inbox inbox, uint64_t frames, uint64_t bytes, int descriptor);

/* A whole message of this encrypted connection was taken in. */
void peer_guard_took_sealed(int descriptor);

/* A viewer has subscribed to a topic, or no longer. The connection is the one that
 * `peer_guard_is_open` means. Of open connections the guard knows it already. */
void peer_guard_took_topic(
    int descriptor, uint64_t let_in_ns, bool begins, const uint8_t *topic, uint32_t size);

/* Everything is taken in that had arrived at that time. */
void peer_guard_drained(enum peer_guard_inbox inbox, uint64_t arrived);

/* Whether a reply to this connection would not be dropped, as far as is known yet. */
bool peer_guard_reads(int descriptor, uint64_t connection);

/* May a reply of so many bytes go to this connection? If so it is counted as unread
 * until the connection has sent that much. A descriptor that is not guarded may always. `connection`
 * is larger for a later connection, so that none pays for one that had its descriptor before. */
bool peer_guard_may_reply(int descriptor, uint64_t connection, uint64_t bytes);

/* So many bytes were given to libzmq for all subscribers. */
void peer_guard_published(uint64_t bytes);

/* How often libzmq has sent to viewers, or to those who ask. */
uint64_t peer_guard_sends(bool to_viewers);

/* Every second and after every few megabytes of publications: ends connections that
 * do not read, or do not finish what they began. */
void peer_guard_look(void);

/* ---- Connections ---- */

/* Whether the connection that had this descriptor when it was let in, at a time of
 * CLOCK_MONOTONIC in nanoseconds, still has it. libzmq's own object for it lives at least as long. */
bool peer_guard_is_open(int descriptor, uint64_t let_in_ns);

/* How many connections a user has; with -1, how many came by tcp. */
uint32_t peer_guard_connections_of(int64_t uid);

/* One connection, as an administrator is told of it. */
struct peer_guard_connection {
    int descriptor;
    /* When it was let in, of CLOCK_MONOTONIC. With the descriptor it names the connection. */
    uint64_t accepted_ns;
    /* -1: not known. */
    int64_t uid, pid;
    bool subscribes, is_sealed;
    /* Bytes that it sent and was sent, those of its requests that wait, and since when it does not read; 0: it reads. */
    uint64_t received, sent, waiting, blocked_ms;
    uint32_t topics;
    /* The address of one that came by tcp, and the beginning of its topics, a line each. */
    char address[64], names[448];
};

/* Writes the connections whose handshake has ended, at most so many, and returns how many. */
uint32_t peer_guard_list(struct peer_guard_connection *found, uint32_t most);

/* Ends the connection that these name; whether there was one. */
bool peer_guard_end_connection(int descriptor, uint64_t accepted_ns);

void peer_guard_read(struct peer_guard_figures *figures);

/* Ends a viewer that sends what is no subscription. */
void peer_guard_end_viewer(int descriptor);

/* Ends the viewers of this user, or with -1 those that came by tcp. */
void peer_guard_end_viewers(int64_t uid);

/* Ends all encrypted connections. */
void peer_guard_end_sealed(void);

/* ---- Room to write. Public for its test. ---- */

/* The next wait has this to do about a connection whose wish epoll may not know: nothing, since epoll knows;
 * to say that there is room to write, without asking; or to ask epoll. */
enum peer_guard_interest { PEER_GUARD_KNOWN, PEER_GUARD_HAS_ROOM, PEER_GUARD_ASK };

/* From the events that are wanted of it, those that epoll was asked for, and whether the kernel took
 * less than it was last given. */
enum peer_guard_interest peer_guard_interest(uint32_t wanted, uint32_t told, bool is_blocked);

/* Encrypted connections (CURVE): the guard reads what a client says of itself where libzmq has opened it. What
 * comes later are frames that it cannot read. So it counts, and bounds
 * how much one connection, and all of them, may have that the daemon has not taken in. The daemon tells it the
 * topics of a viewer when it comes to them; until then each frame counts as a new topic. Only holders of
 * known keys come so far. */

#pragma once

#include "account.h"

/* I/O thread, under the lock: whether the port of a new connection is an encrypted one. */
void sealed_admit(int descriptor, struct peer *peer);

/* I/O thread: libzmq is given a command of this peer's handshake, and opens it before it reads anything else;
 * NULL: of no peer. */
void sealed_said(struct peer *peer);

/* I/O thread, after each read. */
enum peer_guard_reason sealed_took(struct peer *peer);

/* Under the lock: ends those that hold the most, until all hold little enough. */
void sealed_look(uint64_t now);

/* I/O thread: the topics of a viewer that the daemon may not have come to, and of all, in bytes with their cost. */
uint64_t sealed_coming(const struct peer *peer);
uint64_t sealed_all_coming(void);

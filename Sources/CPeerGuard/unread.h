/* Bounds on what connections do not read. libzmq's I/O thread says what went out; the state thread
 * counts what it gave, and decides. */

#pragma once

#include "account.h"

/* I/O thread: of so many bytes the kernel took so many, or an error. */
void unread_sent(struct peer *peer, int64_t count, size_t size);

/* I/O thread: libzmq has nothing more for the peer. A send that the kernel took as a whole does not say so: a peer
 * that always reads a little, and less than comes, stays blocked. */
void unread_none(struct peer *peer);

/* I/O thread, under the lock: the connection is closed, and libzmq may still have something for it. */
void unread_left(const struct peer *peer);

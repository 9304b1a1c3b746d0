/* Bounds on what connections send: messages, what waits for the daemon, topics. */

#pragma once

#include "account.h"

/* These bytes have come. Whether they are within all bounds: else the connection is ended. */
bool took(struct peer *peer, const uint8_t *bytes, size_t count);

/* So much of a message has come that is not finished. */
void set_unfinished(struct peer *peer, uint64_t bytes);

/* Under the lock: the bytes of all different topics, as libzmq walks them. */
uint64_t walked_bytes(void);

bool has_too_many_topics(void);

/* Ends the largest connections of the users with the most of them. */
void end_most_topics(void);

/* Viewers take turns. What they subscribe to, and most of all their end, is work on the state thread
 * that libzmq does at once, however many come or go: at a viewer's end it walks all topics there are.
 * So the work is estimated here, and while there is much of it no viewer is read: its bytes, or its
 * end, wait in the kernel. Nobody else waits for it, and what is published goes out meanwhile. */

#pragma once

#include "account.h"

/* How often `turnstile_let_next` is to be called while it answers that a viewer waits. */
enum { TURNSTILE_PAUSE_MS = 4 };

/* libzmq's epoll, once it is known; else -1. */
extern int turnstile_epoll;

/* The events that epoll is to report of the peer in the place of `wanted`. */
struct epoll_event turnstile_wants(const struct peer *peer);

void turnstile_tell_epoll(struct peer *peer);

/* Whether the viewer may be read now. */
bool turnstile_lets(struct peer *peer);

/* The viewer was read, or is closed (under the lock): that is work. */
void turnstile_subscribed(const struct peer *peer);
void turnstile_ended(void);

/* The peer no longer waits. */
void turnstile_forget(struct peer *peer);

/* Lets the next pass if there is time for it; gives whether one waits still. */
bool turnstile_let_next(void);

/* How many wait that have gone, and how many of them are this process's. */
uint32_t turnstile_gone(const struct party *process, uint32_t *own);

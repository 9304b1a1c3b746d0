/* Room to write. Before each message libzmq asks to be told when there is room to write, sends, and when it is told
 * takes its wish back: two calls of the system for each message. Mostly there is room. So a wish for room is only
 * noted. At the next wait the answer is yes, without a look, unless the kernel took less than it was last given:
 * then epoll is asked. If there is no room after all, the send says so, and then epoll is asked.
 *
 * Without this, and its three calls in calls.c, the guard does the same with more calls of the system. */

#pragma once

#include "account.h"

bool room_start(void);

/* libzmq changes what it wants to hear of a peer to `event`. Whether that differs only in its wish for room from
 * what epoll knows, and was noted. */
bool room_notes(struct peer *peer, int operation, const struct epoll_event *event);

/* Says of those that wish for room that there is some, of `most` at once, and tells epoll what else is
 * noted. Those of which it is said stay until libzmq takes the wish back, or the kernel takes no more. */
int room_say(struct epoll_event *events, int most);

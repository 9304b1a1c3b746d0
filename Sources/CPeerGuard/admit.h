/* Which connections are let in. */

#pragma once

#include "account.h"

/* Whether the connection that was just accepted may stay; it is guarded from now on. */
bool admit(int descriptor);

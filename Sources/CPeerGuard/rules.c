#include "rules.h"

#define BOUND(type, name, bound, reason, why) .name = bound,
struct peer_guard_limits peer_guard_rules(void) {
    return (struct peer_guard_limits){PEER_GUARD_ALL_RULES(BOUND)};
}

#define NAME(name, text) text,
const char *peer_guard_reason_name(enum peer_guard_reason reason) {
    static const char *const names[] = {PEER_GUARD_ALL_REASONS(NAME)};
    return names[reason];
}

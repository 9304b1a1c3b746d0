/* Which topics each connection has, and how many different ones there are: libzmq has no bound for
 * them, and walks all of them whenever a viewer goes. */

#include "topics.h"

#include <stdlib.h>
#include <string.h>

struct topic {
    uint8_t *bytes; /* NULL: empty */
    uint32_t size;
    /* In the set of all: how many connections have it. */
    uint32_t holders;
};

struct peer_guard_topics {
    uint32_t count;
    uint32_t bytes;
    uint32_t capacity; /* a power of two */
    struct topic *slots;
};

/* ---- A set ---- */

/* The slot that holds the topic, or the empty one where it would stand. A peer that chooses topics
 * of one hash makes searches long, and no longer than the bound of topics. */
static struct topic *
slot_of(struct topic *slots, uint32_t capacity, const uint8_t *topic, uint32_t size) {
    uint64_t hash = hash_of(topic, size);
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & (capacity - 1);
    while (slots[at].bytes && (slots[at].size != size || memcmp(slots[at].bytes, topic, size)))
        at = (at + 1) & (capacity - 1);
    return slots + at;
}

static bool grow(struct peer_guard_topics *set) {
    uint32_t capacity = set->capacity ? set->capacity * 2 : 16;
    struct topic *slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < set->capacity; i++) {
        struct topic old = set->slots[i];
        if (old.bytes) *slot_of(slots, capacity, old.bytes, old.size) = old;
    }
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

/* The topic's slot, with one holder more; NULL: no memory. */
static struct topic *insert(struct peer_guard_topics **of, const uint8_t *topic, uint32_t size) {
    if (!*of && !(*of = calloc(1, sizeof **of))) return NULL;
    struct peer_guard_topics *set = *of;
    if (set->count * 2 >= set->capacity && !grow(set)) return NULL;
    struct topic *slot = slot_of(set->slots, set->capacity, topic, size);
    if (!slot->bytes) {
        if (!(slot->bytes = malloc(size + 1))) return NULL;
        memcpy(slot->bytes, topic, size);
        slot->size = size;
        slot->holders = 0;
        set->count++;
        set->bytes += size;
    }
    slot->holders++;
    return slot;
}

/* One holder less; whether there was one. */
static bool take(struct peer_guard_topics *set, const uint8_t *topic, uint32_t size) {
    if (!set || !set->capacity) return false;
    struct topic *slot = slot_of(set->slots, set->capacity, topic, size);
    if (!slot->bytes) return false;
    if (--slot->holders > 0) return true;
    free(slot->bytes);
    slot->bytes = NULL;
    set->count--;
    set->bytes -= size;
    /* What stands behind it in the same run of slots may be out of its search's reach: put again. */
    uint32_t mask = set->capacity - 1;
    for (uint32_t at = (uint32_t)(slot - set->slots + 1) & mask; set->slots[at].bytes;
         at = (at + 1) & mask) {
        struct topic moved = set->slots[at];
        set->slots[at].bytes = NULL;
        *slot_of(set->slots, set->capacity, moved.bytes, moved.size) = moved;
    }
    return true;
}

/* ---- Of one connection, of its user, and of all ---- */

bool topic_is_of_protocol(const uint8_t *topic, size_t size) {
    if (size > 0 && topic[0] == 'p') {
        topic++;
        if (--size == 0) return false;
    }
    if (size == 0) return true;
    if (size < 2 || (topic[0] != 'j' && topic[0] != 'b') || topic[1] != '/') return false;
    if (size == 2) return true;
    if (size == 3 || topic[size - 1] != '/') return false;
    for (size_t i = 2; i < size - 1; i++)
        if (topic[i] == '/' || topic[i] < 0x20) return false;
    return true;
}

/* One connection more has it. */
static bool join(struct peer_guard_all_topics *all, const uint8_t *topic, uint32_t size) {
    if (!all) return true;
    if (!insert(&all->set, topic, size)) return false;
    all->subscriptions++;
    all->count = all->set->count;
    all->bytes = all->set->bytes;
    return true;
}

bool topic_subscribe(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *topic,
    uint32_t size) {
    struct topic *own = insert(&stream->topics, topic, size);
    if (!own) return false;
    if (own->holders > 1) {
        own->holders = 1;
        return true;
    }
    if (!join(stream->all_topics, topic, size) || !join(stream->user_topics, topic, size))
        return false;
    return stream->topics->count <= limits->topics && stream->topics->bytes <= limits->topics_bytes;
}

/* One connection has it no more. */
static void leave(struct peer_guard_all_topics *all, const uint8_t *topic, uint32_t size) {
    if (!all || !take(all->set, topic, size)) return;
    all->subscriptions--;
    all->count = all->set->count;
    all->bytes = all->set->bytes;
}

void topic_cancel(struct peer_guard_stream *stream, const uint8_t *topic, uint32_t size) {
    if (!take(stream->topics, topic, size)) return;
    leave(stream->all_topics, topic, size);
    leave(stream->user_topics, topic, size);
}

/* Users come and go, and there may be many: of one who has no topics nothing stays. */
static void free_if_empty(struct peer_guard_all_topics *all) {
    if (!all || !all->set || all->set->count > 0) return;
    free(all->set->slots);
    free(all->set);
    all->set = NULL;
}

void topic_forget(struct peer_guard_stream *stream) {
    struct peer_guard_topics *set = stream->topics;
    if (!set) return;
    for (uint32_t i = 0; i < set->capacity; i++) {
        if (!set->slots[i].bytes) continue;
        leave(stream->all_topics, set->slots[i].bytes, set->slots[i].size);
        leave(stream->user_topics, set->slots[i].bytes, set->slots[i].size);
        free(set->slots[i].bytes);
    }
    free(set->slots);
    free(set);
    stream->topics = NULL;
    free_if_empty(stream->user_topics);
}

uint32_t peer_guard_topics_bytes(const struct peer_guard_stream *stream) {
    const struct peer_guard_topics *topics = stream->topics;
    return topics ? topics->bytes + topics->count * PEER_GUARD_TOPIC_COST : 0;
}

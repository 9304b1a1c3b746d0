/* Which topics each connection has, and how many different ones there are: libzmq has no bound for
 * them, and walks all of them whenever a viewer goes. */

#include "topics.h"

#include <stdlib.h>
#include <string.h>

struct topic {
    uint8_t *bytes; /* NULL: empty */
    uint32_t size;
    uint32_t hash;
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

static bool is_same(const struct topic *one, const struct topic *other) {
    return one->hash == other->hash && one->size == other->size
        && memcmp(one->bytes, other->bytes, one->size) == 0;
}

/* The slot that holds the topic, or the empty one where it would stand. */
static struct topic *slot_of(struct topic *slots, uint32_t capacity, const struct topic *topic) {
    uint32_t at = topic->hash & (capacity - 1);
    while (slots[at].bytes && !is_same(slots + at, topic)) at = (at + 1) & (capacity - 1);
    return slots + at;
}

static bool grow(struct peer_guard_topics *set) {
    uint32_t capacity = set->capacity ? set->capacity * 2 : 16;
    struct topic *slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < set->capacity; i++) {
        struct topic old = set->slots[i];
        if (old.bytes) *slot_of(slots, capacity, &old) = old;
    }
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

/* The topic's slot, with one holder more; NULL: no memory. */
static struct topic *insert(struct peer_guard_topics **of, const struct topic *topic) {
    if (!*of && !(*of = calloc(1, sizeof **of))) return NULL;
    struct peer_guard_topics *set = *of;
    if (set->count * 2 >= set->capacity && !grow(set)) return NULL;
    struct topic *slot = slot_of(set->slots, set->capacity, topic);
    if (!slot->bytes) {
        uint8_t *bytes = malloc(topic->size + 1);
        if (!bytes) return NULL;
        memcpy(bytes, topic->bytes, topic->size);
        *slot = (struct topic){.bytes = bytes, .size = topic->size, .hash = topic->hash};
        set->count++;
        set->bytes += topic->size;
    }
    slot->holders++;
    return slot;
}

/* One holder less; whether there was one. */
static bool take(struct peer_guard_topics *set, const struct topic *topic) {
    if (!set || !set->capacity) return false;
    struct topic *slot = slot_of(set->slots, set->capacity, topic);
    if (!slot->bytes) return false;
    if (--slot->holders > 0) return true;
    free(slot->bytes);
    set->count--;
    set->bytes -= topic->size;
    /* Of the run of slots behind it each moves up that its own search would not reach over the hole. */
    uint32_t mask = set->capacity - 1, hole = (uint32_t)(slot - set->slots), at = hole;
    while (set->slots[at = (at + 1) & mask].bytes) {
        if (((at - set->slots[at].hash) & mask) < ((at - hole) & mask)) continue;
        set->slots[hole] = set->slots[at];
        hole = at;
    }
    set->slots[hole].bytes = NULL;
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
static bool join(struct peer_guard_all_topics *all, const struct topic *topic) {
    if (!all) return true;
    if (!insert(&all->set, topic)) return false;
    all->subscriptions++;
    all->count = all->set->count;
    all->bytes = all->set->bytes;
    return true;
}

/* These bytes as a topic, which are only lent and not changed. */
static struct topic lent(const uint8_t *bytes, uint32_t size) {
    return (struct topic){
        .bytes = (uint8_t *)(uintptr_t)bytes, .size = size, .hash = (uint32_t)hash_of(bytes, size)};
}

bool topic_subscribe(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *bytes,
    uint32_t size) {
    struct topic topic = lent(bytes, size);
    struct topic *own = insert(&stream->topics, &topic);
    if (!own) return false;
    if (own->holders > 1) {
        own->holders = 1;
        return true;
    }
    if (!join(stream->all_topics, &topic) || !join(stream->user_topics, &topic)) return false;
    return stream->topics->count <= limits->topics && stream->topics->bytes <= limits->topics_bytes;
}

/* One connection has it no more. */
static void leave(struct peer_guard_all_topics *all, const struct topic *topic) {
    if (!all || !take(all->set, topic)) return;
    all->subscriptions--;
    all->count = all->set->count;
    all->bytes = all->set->bytes;
}

void topic_cancel(struct peer_guard_stream *stream, const uint8_t *bytes, uint32_t size) {
    struct topic topic = lent(bytes, size);
    if (!take(stream->topics, &topic)) return;
    leave(stream->all_topics, &topic);
    leave(stream->user_topics, &topic);
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
        leave(stream->all_topics, set->slots + i);
        leave(stream->user_topics, set->slots + i);
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

/* Which topics each connection has, and how many different ones there are: libzmq has no bound for
 * them, and walks all of them whenever a viewer goes. A set is a balanced tree, so that no topics are found
 * slowly, whatever a stranger chooses. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "topics.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct topic {
    const uint8_t *bytes;
    uint32_t size;
    /* How many connections have it. */
    uint32_t holders;
};

/* ---- A set ---- */

static int order(const void *one, const void *other) {
    const struct topic *a = one, *b = other;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return memcmp(a->bytes, b->bytes, a->size);
}

/* The topic, which one connection more has; NULL: no memory. */
static struct topic *join(struct peer_guard_topics *set, const uint8_t *bytes, uint32_t size) {
    struct topic lent = {.bytes = bytes, .size = size};
    struct topic **found = tsearch(&lent, &set->tree, order);
    if (!found) return NULL;
    if (*found == &lent) {
        struct topic *made = malloc(sizeof *made + size);
        if (!made) {
            tdelete(&lent, &set->tree, order);
            return NULL;
        }
        *made = (struct topic){.bytes = memcpy(made + 1, bytes, size), .size = size};
        *found = made;
        set->count++;
        set->bytes += size;
    }
    (*found)->holders++;
    set->subscriptions++;
    return *found;
}

/* One connection less has the topic; whether there was one. */
static bool leave(struct peer_guard_topics *set, const uint8_t *bytes, uint32_t size) {
    struct topic lent = {.bytes = bytes, .size = size};
    struct topic **found = set ? tfind(&lent, &set->tree, order) : NULL;
    if (!found) return false;
    struct topic *topic = *found;
    set->subscriptions--;
    if (--topic->holders > 0) return true;
    tdelete(topic, &set->tree, order);
    set->count--;
    set->bytes -= size;
    free(topic);
    return true;
}

uint32_t peer_guard_topics_bytes(const struct peer_guard_topics *topics) {
    return topics->bytes + topics->count * PEER_GUARD_TOPIC_COST;
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

bool topic_subscribe(
    struct peer_guard_stream *stream, const struct peer_guard_limits *limits, const uint8_t *bytes,
    uint32_t size) {
    struct topic *own = join(&stream->topics, bytes, size);
    if (!own) return false;
    if (own->holders > 1) {
        own->holders = 1;
        stream->topics.subscriptions--;
        return true;
    }
    if (stream->all_topics && !join(stream->all_topics, bytes, size)) return false;
    if (stream->user_topics && !join(stream->user_topics, bytes, size)) return false;
    return stream->topics.count <= limits->topics && stream->topics.bytes <= limits->topics_bytes;
}

void topic_cancel(struct peer_guard_stream *stream, const uint8_t *bytes, uint32_t size) {
    if (!leave(&stream->topics, bytes, size)) return;
    leave(stream->all_topics, bytes, size);
    leave(stream->user_topics, bytes, size);
}

struct names {
    char *text;
    size_t room;
};

static void add_name(const void *node, VISIT visit, void *closure) {
    const struct topic *topic = *(struct topic *const *)node;
    struct names *names = closure;
    if ((visit != postorder && visit != leaf) || topic->size + 2 > names->room) return;
    memcpy(names->text, topic->bytes, topic->size);
    names->text[topic->size] = '\n';
    names->text += topic->size + 1;
    names->room -= topic->size + 1;
}

void topic_names(const struct peer_guard_stream *stream, char *text, size_t room) {
    struct names names = {text, room};
    twalk_r(stream->topics.tree, add_name, &names);
    *names.text = 0;
}

void topic_forget(struct peer_guard_stream *stream) {
    while (stream->topics.tree) {
        const struct topic *first = *(struct topic **)stream->topics.tree;
        leave(stream->all_topics, first->bytes, first->size);
        leave(stream->user_topics, first->bytes, first->size);
        leave(&stream->topics, first->bytes, first->size);
    }
}

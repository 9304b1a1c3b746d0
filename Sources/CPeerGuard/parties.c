/* Whose the connections are: users, and processes of this machine. What is counted of each is found by its
 * number. Two that share a bucket are still two: whoever may choose a number, as a user may who has a range of
 * them, must not be counted with another. */

#include "peers.h"
#include "topics.h"

#include <stdlib.h>

static unsigned bucket_of(int64_t number) {
    return (unsigned)(hash_of((const uint8_t *)&number, sizeof number) % PARTY_BUCKETS);
}

struct party *party_of(const struct parties *all, int64_t number) {
    struct party *party = all->buckets[bucket_of(number)];
    while (party && party->number != number) party = party->next;
    return party;
}

struct party *party_join(struct parties *all, int64_t number) {
    struct party *party = party_of(all, number);
    if (!party) {
        if (!(party = calloc(1, sizeof *party))) return NULL;
        party->number = number;
        party->bucket = bucket_of(number);
        party->next = all->buckets[party->bucket];
        all->buckets[party->bucket] = party;
    }
    party->connections++;
    return party;
}

void party_leave(struct parties *all, struct party *party) {
    if (!party || --party->connections > 0) return;
    struct party **at = all->buckets + party->bucket;
    while (*at != party) at = &(*at)->next;
    *at = party->next;
    free(party);
}

struct party *party_next(const struct parties *all, const struct party *party) {
    if (party && party->next) return party->next;
    for (unsigned i = party ? party->bucket + 1 : 0; i < PARTY_BUCKETS; i++)
        if (all->buckets[i]) return all->buckets[i];
    return NULL;
}

/* SipHash-1-3 (Aumasson and Bernstein), as Swift's own hash. Its key is chosen at each start, so that nobody
 * outside can find bytes that meet in a table. */

#include "topics.h"

#include <string.h>

static uint64_t key[2];

void hash_seed(const uint64_t random[2]) { memcpy(key, random, sizeof key); }

static uint64_t rotated(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static void mix(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] = rotated(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[2] = rotated(v[2], 32);
}

static void take(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

uint64_t hash_of(const uint8_t *bytes, size_t count) {
    uint64_t v[4] = {
        key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
        key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u,
    };
    uint64_t word = 0, last = (uint64_t)count << 56;
    for (; count >= 8; bytes += 8, count -= 8) {
        memcpy(&word, bytes, 8);
        take(v, word);
    }
    for (size_t i = 0; i < count; i++) last |= (uint64_t)bytes[i] << 8 * i;
    take(v, last);
    v[2] ^= 0xff;
    for (int round = 0; round < 3; round++) mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

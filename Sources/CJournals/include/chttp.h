#ifndef TRESTLE_CHTTP_H
#define TRESTLE_CHTTP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Requests of gRPC over libcurl, in the thread of the caller. libcurl is loaded when it is asked for, so
 * that a daemon that needs none of it neither links nor loads it (docs/decisions/0045).
 *
 * One descriptor is readable when there is something to do: answers, time-outs, the caller's alarm.
 */
typedef struct chttp chttp;

/* Paths; NULL where there is none. */
typedef struct {
    const char *authority;
    const char *certificate;
    const char *key;
} chttp_tls;

/* Loads libcurl. NULL, or why it is not to be had. */
const char *chttp_load(void);

/* `places`: how many servers there are. NULL where the system has no descriptors. */
chttp *chttp_begin(int places, const chttp_tls *tls);
void chttp_end(chttp *http);

int chttp_descriptor(const chttp *http);

/* The descriptor is readable at this time of CLOCK_MONOTONIC at the latest. 0: at none. */
void chttp_wake_at(chttp *http, uint64_t ms);

typedef struct {
    /* The server's index, from 0: connections are kept for each. */
    int place;
    const char *url;
    /* The token of an authenticated user; NULL: none. */
    const char *token;
    const uint8_t *body;
    size_t bytes;
    /* The status of the answer. */
    size_t most_bytes;
    /* 0: a stream, whose bytes are counted and dropped. */
    long timeout_ms;
} chttp_request;

/* Sends a request. Its number, never 0; 0: there is no memory. */
uint64_t chttp_send(chttp *http, const chttp_request *request);

/* Nobody waits for this one any more. */
void chttp_cancel(chttp *http, uint64_t number);

/* Does what is to be done, without waiting. */
void chttp_work(chttp *http);

/* Bytes that came on this stream; 0 when there is none of this number. */
uint64_t chttp_streamed(const chttp *http, uint64_t number);

typedef struct {
    uint64_t number;
    /* Why nothing came, a sentence; empty: an answer came. */
    char fault[256];
    long status;
    /* -1: none was said. */
    int grpc_status;
    char grpc_message[256];
    const uint8_t *bytes;
    size_t count;
} chttp_answer;

/* The next request that is done, or 0. What it points to lasts until the next call. */
int chttp_next(chttp *http, chttp_answer *answer);

#endif

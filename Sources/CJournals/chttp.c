#define _GNU_SOURCE
#include "chttp.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The functions of libcurl that are used: what they are called here, and their names. */
#define FUNCTIONS(F) \
    F(global_init, curl_global_init) \
    F(easy_init, curl_easy_init) \
    F(easy_cleanup, curl_easy_cleanup) \
    F(setopt, curl_easy_setopt) \
    F(getinfo, curl_easy_getinfo) \
    F(strerror, curl_easy_strerror) \
    F(list_append, curl_slist_append) \
    F(list_free, curl_slist_free_all) \
    F(multi_init, curl_multi_init) \
    F(multi_cleanup, curl_multi_cleanup) \
    F(multi_setopt, curl_multi_setopt) \
    F(multi_add, curl_multi_add_handle) \
    F(multi_remove, curl_multi_remove_handle) \
    F(multi_action, curl_multi_socket_action) \
    F(multi_read, curl_multi_info_read)

#define FIELD(field, name) __typeof__(&name) field;
static struct { FUNCTIONS(FIELD) } curl;

/* The macros of curl.h check types of a function that is called by its name. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

static int find(void *library, const char *name, void *place) {
    void *found = dlsym(library, name);
    memcpy(place, &found, sizeof found);
    return found != NULL;
}

const char *chttp_load(void) {
    if (curl.multi_read) return NULL;
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    int all = 1;
#define FIND(field, name) all &= find(library, #name, &curl.field);
    FUNCTIONS(FIND)
    if (!all || curl.global_init(CURL_GLOBAL_ALL) != CURLE_OK) {
        memset(&curl, 0, sizeof curl);
        return "libcurl.so.4 lacks a function that is needed";
    }
    return NULL;
}

typedef struct call {
    /* Where the bytes of all answers are counted. */
    uint64_t *received;
    uint64_t number;
    CURL *easy;
    struct curl_slist *headers;
    int place;
    int is_stream;
    uint8_t *body;
    uint8_t *bytes;
    size_t count, room, most;
    uint64_t streamed;
    int grpc_status;
    char grpc_message[256];
    char fault[CURL_ERROR_SIZE];
    CURLcode code;
    int is_done;
    /* It is ended here then, if libcurl has not done so. 0: a stream, which may last. */
    uint64_t late_ms;
    struct call *next;
} call;

/* So long after its time a request is ended here. */
enum { GRACE_MS = 250 };

struct chttp {
    CURLM *multi;
    int epoll, timer;
    uint64_t curl_ms, wake_ms, armed_ms;
    uint64_t numbers, received;
    int places;
    /* Whether a connection to this server is known to be there. */
    unsigned char *has_connection;
    char *authority, *certificate, *key;
    call *calls;
    call *told;
};

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void arm(chttp *http) {
    uint64_t at = http->wake_ms;
    if (http->curl_ms && (!at || http->curl_ms < at)) at = http->curl_ms;
    if (at == http->armed_ms) return;
    http->armed_ms = at;
    struct itimerspec time = {0};
    time.it_value.tv_sec = (time_t)(at / 1000);
    time.it_value.tv_nsec = (long)(at % 1000) * 1000000;
    timerfd_settime(http->timer, TFD_TIMER_ABSTIME, &time, NULL);
}

static int on_timer(CURLM *multi, long ms, void *context) {
    (void)multi;
    chttp *http = context;
    http->curl_ms = ms < 0 ? 0 : now_ms() + (uint64_t)ms;
    arm(http);
    return 0;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy;
    (void)known;
    chttp *http = context;
    struct epoll_event event = {0};
    event.data.fd = socket;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(http->epoll, EPOLL_CTL_DEL, socket, &event);
        return 0;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(http->epoll, EPOLL_CTL_MOD, socket, &event) != 0)
        epoll_ctl(http->epoll, EPOLL_CTL_ADD, socket, &event);
    return 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
    call *one = context;
    size_t more = size * count;
    *one->received += more;
    if (one->is_stream) {
        one->streamed += more;
        return more;
    }
    if (more > one->most - one->count) return 0;
    if (one->count + more > one->room) {
        size_t room = (one->count + more) * 2;
        uint8_t *bigger = realloc(one->bytes, room);
        if (!bigger) return 0;
        one->bytes = bigger;
        one->room = room;
    }
    memcpy(one->bytes + one->count, bytes, more);
    one->count += more;
    return more;
}

/* gRPC says at the end, in the trailers, what became of the request. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context) {
    call *one = context;
    size_t length = size * count;
    *one->received += length;
    static const char status[] = "grpc-status:", message[] = "grpc-message:";
    if (length > sizeof status && strncasecmp(bytes, status, sizeof status - 1) == 0) {
        char text[16] = {0};
        size_t most = length - (sizeof status - 1);
        memcpy(text, bytes + sizeof status - 1, most < 15 ? most : 15);
        one->grpc_status = atoi(text);
    } else if (length > sizeof message && strncasecmp(bytes, message, sizeof message - 1) == 0) {
        const char *from = bytes + sizeof message - 1;
        size_t most = length - (sizeof message - 1);
        while (most && *from == ' ') from++, most--;
        while (most && (from[most - 1] == '\r' || from[most - 1] == '\n')) most--;
        if (most >= sizeof one->grpc_message) most = sizeof one->grpc_message - 1;
        memcpy(one->grpc_message, from, most);
        one->grpc_message[most] = 0;
    }
    return length;
}

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

chttp *chttp_begin(int places, const chttp_tls *tls) {
    chttp *http = calloc(1, sizeof *http);
    if (!http) return NULL;
    http->epoll = epoll_create1(EPOLL_CLOEXEC);
    http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    http->has_connection = calloc((size_t)places + 1, 1);
    http->places = places;
    http->multi = curl.multi_init();
    if (http->epoll < 0 || http->timer < 0 || !http->has_connection || !http->multi) {
        chttp_end(http);
        return NULL;
    }
    if (tls) {
        http->authority = copy(tls->authority);
        http->certificate = copy(tls->certificate);
        http->key = copy(tls->key);
    }
    struct epoll_event event = {.events = EPOLLIN, .data.fd = http->timer};
    epoll_ctl(http->epoll, EPOLL_CTL_ADD, http->timer, &event);
    curl.multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl.multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    curl.multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl.multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    return http;
}

static void let_go(chttp *http, call *one) {
    if (!one) return;
    if (one->easy) {
        curl.multi_remove(http->multi, one->easy);
        curl.easy_cleanup(one->easy);
    }
    curl.list_free(one->headers);
    free(one->body);
    free(one->bytes);
    free(one);
}

void chttp_end(chttp *http) {
    if (!http) return;
    while (http->calls) {
        call *one = http->calls;
        http->calls = one->next;
        let_go(http, one);
    }
    let_go(http, http->told);
    if (http->multi) curl.multi_cleanup(http->multi);
    if (http->epoll >= 0) close(http->epoll);
    if (http->timer >= 0) close(http->timer);
    free(http->has_connection);
    free(http->authority);
    free(http->certificate);
    free(http->key);
    free(http);
}

int chttp_descriptor(const chttp *http) { return http->epoll; }

void chttp_wake_at(chttp *http, uint64_t ms) {
    http->wake_ms = ms;
    arm(http);
}

static int add_header(call *one, const char *text) {
    struct curl_slist *longer = curl.list_append(one->headers, text);
    if (longer) one->headers = longer;
    return longer != NULL;
}

static void set_tls(chttp *http, CURL *easy) {
    curl.setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl.setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl.setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (http->authority) curl.setopt(easy, CURLOPT_CAINFO, http->authority);
    if (http->certificate) curl.setopt(easy, CURLOPT_SSLCERT, http->certificate);
    if (http->key) curl.setopt(easy, CURLOPT_SSLKEY, http->key);
}

/*
 * Without TLS both ends must know that it is HTTP/2. libcurl 7.88 gives error 16 when it is told so about a
 * connection that is used again, and asks for an upgrade, which etcd knows not, when it is not told so
 * about a new one.
 */
static void set_plain(chttp *http, CURL *easy, int place) {
    int is_new = !http->has_connection[place];
    curl.setopt(easy, CURLOPT_HTTP_VERSION,
        (long)(is_new ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2_0));
    curl.setopt(easy, CURLOPT_FRESH_CONNECT, (long)is_new);
}

static int prepare(chttp *http, call *one, const chttp_request *request) {
    CURL *easy = one->easy = curl.easy_init();
    one->body = malloc(request->bytes + 1);
    if (!easy || !one->body) return 0;
    memcpy(one->body, request->body, request->bytes);
    if (!add_header(one, "content-type: application/grpc") || !add_header(one, "te: trailers")
        || !add_header(one, "expect:"))
        return 0;
    if (request->token) {
        char text[1024] = "token: ";
        strncat(text, request->token, sizeof text - 16);
        if (!add_header(one, text)) return 0;
    }
    curl.setopt(easy, CURLOPT_NOSIGNAL, 1L);
    // Without it, giving up a name that is being looked up waits for the resolver's thread.
    curl.setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl.setopt(easy, CURLOPT_URL, request->url);
    curl.setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl.setopt(easy, CURLOPT_PROXY, "");
    curl.setopt(easy, CURLOPT_POST, 1L);
    curl.setopt(easy, CURLOPT_POSTFIELDS, one->body);
    curl.setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->bytes);
    curl.setopt(easy, CURLOPT_HTTPHEADER, one->headers);
    curl.setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl.setopt(easy, CURLOPT_WRITEDATA, one);
    curl.setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl.setopt(easy, CURLOPT_HEADERDATA, one);
    curl.setopt(easy, CURLOPT_ERRORBUFFER, one->fault);
    curl.setopt(easy, CURLOPT_PRIVATE, one);
    curl.setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl.setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
        request->timeout_ms > 0 && request->timeout_ms < 800 ? request->timeout_ms : 800L);
    if (request->timeout_ms > 0) curl.setopt(easy, CURLOPT_TIMEOUT_MS, request->timeout_ms);
    if (strncmp(request->url, "https:", 6) == 0) set_tls(http, easy);
    else set_plain(http, easy, request->place);
    return curl.multi_add(http->multi, easy) == CURLM_OK;
}

uint64_t chttp_send(chttp *http, const chttp_request *request) {
    if (request->place < 0 || request->place >= http->places) return 0;
    call *one = calloc(1, sizeof *one);
    if (!one) return 0;
    one->received = &http->received;
    one->number = ++http->numbers;
    one->place = request->place;
    one->is_stream = request->timeout_ms == 0;
    if (!one->is_stream) one->late_ms = now_ms() + (uint64_t)request->timeout_ms + GRACE_MS;
    one->most = request->most_bytes;
    one->grpc_status = -1;
    if (!prepare(http, one, request)) {
        let_go(http, one);
        return 0;
    }
    one->next = http->calls;
    http->calls = one;
    return one->number;
}

void chttp_cancel(chttp *http, uint64_t number) {
    for (call **place = &http->calls; *place; place = &(*place)->next) {
        call *one = *place;
        if (one->number != number) continue;
        *place = one->next;
        let_go(http, one);
        return;
    }
}

uint64_t chttp_streamed(const chttp *http, uint64_t number) {
    for (call *one = http->calls; one; one = one->next)
        if (one->number == number) return one->streamed;
    return 0;
}

/* The caller waits for the end of a request before the next one of its kind: one without an end stops a
 * writer that keeps its lease. libcurl 7.88 left such requests, on connections to hosts that were cut off. */
static void end_late(chttp *http) {
    uint64_t now = now_ms();
    for (call *one = http->calls; one; one = one->next) {
        if (one->is_done || !one->late_ms || now < one->late_ms) continue;
        one->code = CURLE_OPERATION_TIMEDOUT;
        one->is_done = 1;
        strcpy(one->fault, "No answer in time, and libcurl did not say so");
        http->has_connection[one->place] = 0;
    }
}

/*
 * Lets libcurl read what is there. Of an answer above its buffer of 16 KiB libcurl 7.88 keeps the rest in memory, and
 * looks at it when the socket has more or a timer is over, which is that of the connection: after 800 ms. So it is called
 * again as long as it hands something over.
 */
static void act(chttp *http, int socket, int mask) {
    int running;
    uint64_t before;
    do {
        before = http->received;
        curl.multi_action(http->multi, socket, mask, &running);
        mask = CURL_CSELECT_IN;
    } while (http->received != before);
}

void chttp_work(chttp *http) {
    int running;
    struct epoll_event events[16];
    int count;
    do {
        count = epoll_wait(http->epoll, events, 16, 0);
        for (int index = 0; index < count; index++) {
            if (events[index].data.fd == http->timer) {
                uint64_t times;
                if (read(http->timer, &times, sizeof times) > 0) http->armed_ms = 0;
                continue;
            }
            int mask = (events[index].events & EPOLLIN ? CURL_CSELECT_IN : 0)
                | (events[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                | (events[index].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
            act(http, events[index].data.fd, mask);
        }
    } while (count == 16);
    if (http->curl_ms && now_ms() >= http->curl_ms) {
        http->curl_ms = 0;
        curl.multi_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    arm(http);
    CURLMsg *message;
    int left;
    while ((message = curl.multi_read(http->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        call *one = NULL;
        CURLcode code = message->data.result;
        curl.getinfo(message->easy_handle, CURLINFO_PRIVATE, &one);
        if (!one) continue;
        one->code = code;
        one->is_done = 1;
        /* A connection that was gone was made anew as HTTP/1.1: what answered is not gRPC. */
        long version = 0;
        curl.getinfo(message->easy_handle, CURLINFO_HTTP_VERSION, &version);
        http->has_connection[one->place] = code == CURLE_OK && version == CURL_HTTP_VERSION_2;
    }
    end_late(http);
}

int chttp_next(chttp *http, chttp_answer *answer) {
    let_go(http, http->told);
    http->told = NULL;
    for (call **place = &http->calls; *place; place = &(*place)->next) {
        call *one = *place;
        if (!one->is_done) continue;
        *place = one->next;
        one->next = NULL;
        http->told = one;
        memset(answer, 0, sizeof *answer);
        answer->number = one->number;
        answer->grpc_status = one->grpc_status;
        if (one->code != CURLE_OK) {
            const char *why = one->fault[0] ? one->fault : curl.strerror(one->code);
            size_t length = strlen(why);
            if (length >= sizeof answer->fault) length = sizeof answer->fault - 1;
            memcpy(answer->fault, why, length);
        }
        memcpy(answer->grpc_message, one->grpc_message, sizeof answer->grpc_message);
        curl.getinfo(one->easy, CURLINFO_RESPONSE_CODE, &answer->status);
        answer->bytes = one->bytes;
        answer->count = one->count;
        return 1;
    }
    return 0;
}

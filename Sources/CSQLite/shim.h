#ifndef TRESTLE_CSQLITE_SHIM_H
#define TRESTLE_CSQLITE_SHIM_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* sqlite3_db_config is variadic, so Swift cannot call it. */
static inline int csqlite_no_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/*
 * A check of a database file's structure in a thread of its own, since SQLite cannot do it in
 * slices. The thread is plain C: our programs count references as if there were one thread of Swift.
 * It reads the file as one that nobody changes: whoever began it must see to that.
 */
typedef struct csqlite_check {
    pthread_t thread;
    int is_cancelled;
    int is_done;
    /* SQLITE_OK, or why it could not be looked at. */
    int code;
    /* "ok", or what is wrong. */
    char found[512];
    char uri[];
} csqlite_check;

static inline int csqlite_check_goes_on(void *of) {
    return __atomic_load_n(&((csqlite_check *)of)->is_cancelled, __ATOMIC_RELAXED);
}

static inline void *csqlite_check_run(void *of) {
    csqlite_check *check = of;
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    check->code = sqlite3_open_v2(check->uri, &database, flags, NULL);
    if (check->code == SQLITE_OK) {
        sqlite3_progress_handler(database, 1000, csqlite_check_goes_on, check);
        check->code = sqlite3_prepare_v2(
            database, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    }
    if (check->code == SQLITE_OK) {
        int step = sqlite3_step(statement);
        const unsigned char *text = step == SQLITE_ROW ? sqlite3_column_text(statement, 0) : NULL;
        if (text) strncpy(check->found, (const char *)text, sizeof check->found - 1);
        else check->code = step == SQLITE_ROW ? SQLITE_NOMEM : step;
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    __atomic_store_n(&check->is_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* NULL where no thread could be made. */
static inline csqlite_check *csqlite_check_begin(const char *uri) {
    size_t length = strlen(uri);
    csqlite_check *check = calloc(1, sizeof *check + length + 1);
    if (!check) return NULL;
    memcpy(check->uri, uri, length);
    if (pthread_create(&check->thread, NULL, csqlite_check_run, check) == 0) return check;
    free(check);
    return NULL;
}

static inline int csqlite_check_is_done(const csqlite_check *check) {
    return __atomic_load_n(&check->is_done, __ATOMIC_ACQUIRE);
}

/* Ends it, whether or not it is done. */
static inline void csqlite_check_end(csqlite_check *check) {
    __atomic_store_n(&check->is_cancelled, 1, __ATOMIC_RELAXED);
    pthread_join(check->thread, NULL);
    free(check);
}

static inline int csqlite_check_code(const csqlite_check *check) { return check->code; }
static inline const char *csqlite_check_found(const csqlite_check *check) { return check->found; }

#endif

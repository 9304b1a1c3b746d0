#ifndef TRESTLE_CSYNC_H
#define TRESTLE_CSYNC_H

/*
 * A sync in a thread of its own, for what nobody waits for: a checkpoint that is done, a segment that
 * is prepared, the names in the directory. Files that are removed lose their blocks there too. The thread is plain C: our programs count references as
 * if there were one thread of Swift (docs/decisions/0008). It knows a descriptor and nothing else.
 */
typedef struct csync csync;

/* `whole`: also what fdatasync leaves out. NULL where no thread could be made. */
csync *csync_begin(int descriptor, int whole);
int csync_is_done(const csync *sync);
/* Waits for the end, and gives 0 or an errno. The sync is gone then. */
int csync_end(csync *sync);

/* Cuts a file to nothing, `piece` bytes at a time; NULL as above. */
csync *csync_begin_cutting(int descriptor, long long bytes, long long piece);

/* Lets the kernel begin to write a range, without waiting for it. */
void csync_start_writing(int descriptor, long long offset, long long bytes);

#endif

/* libzmq asks for the number of the process with each signal between its threads, to notice a fork: 15 calls of the
 * system for one command. The daemon does not fork, so the number stays the same. */

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t getpid(void) {
    static atomic_int known;
    int number = atomic_load_explicit(&known, memory_order_relaxed);
    if (number == 0) {
        number = (int)syscall(SYS_getpid);
        atomic_store_explicit(&known, number, memory_order_relaxed);
    }
    return number;
}

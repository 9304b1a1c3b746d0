/* What Swift's Glibc module lacks. */
#include <sys/eventfd.h>
#include <sys/random.h>

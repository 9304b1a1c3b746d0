#ifndef TRESTLE_BENCH_SHIM_H
#define TRESTLE_BENCH_SHIM_H

#include <zmq.h>

/* What Swift's Glibc module lacks. */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/un.h>

#endif

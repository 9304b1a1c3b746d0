#ifndef TRESTLE_CZEROMQ_SHIM_H
#define TRESTLE_CZEROMQ_SHIM_H

#include <zmq.h>

/* malloc's options, and where names are looked up. */
#include <malloc.h>
#include <nss.h>

/* What a daemon's loop needs and Swift's Glibc module lacks. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#endif

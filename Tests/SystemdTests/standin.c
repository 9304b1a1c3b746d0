// A stand-in for trestled: what the units need of the daemon and nothing else, over the same
// library (libzmq). It lets the units be run before, or without, the real program.
//
//   standin check-config --config FILE      78 when FILE holds the word "broken"
//   standin --config FILE                   serves; a line "tcp://HOST:PORT" binds that as well
//
// A request is answered with "ok N", N being durable; "probe" with what the sandbox lets it do.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

static volatile sig_atomic_t stopping, reloading;
static void on_signal(int number) {
  if (number == SIGHUP) reloading = 1;
  else stopping = 1;
}

static void die(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, " (errno %d: %s)\n", errno, strerror(errno));
  exit(code);
}

static void notify(const char *state) {
  const char *path = getenv("NOTIFY_SOCKET");
  if (!path) return;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(path);
  if (address.sun_path[0] == '@') address.sun_path[0] = 0;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) die(71, "notify socket");
  if (sendto(fd, state, strlen(state), 0, (struct sockaddr *)&address, length) < 0)
    die(71, "notify %s", state);
  close(fd);
}

// The inherited descriptor of that name, or -1.
static int inherited(const char *name) {
  const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  const char *names = getenv("LISTEN_FDNAMES");
  if (!pid || !count || !names || atoi(pid) != getpid()) return -1;
  char copy[256];
  snprintf(copy, sizeof copy, "%s", names);
  int index = 0;
  for (char *part = strtok(copy, ":"); part && index < atoi(count); part = strtok(NULL, ":"))
    if (index++, !strcmp(part, name)) {
      fcntl(3 + index - 1, F_SETFD, FD_CLOEXEC);
      return 3 + index - 1;
    }
  return -1;
}

static void *bound(void *context, int type, const char *name) {
  void *socket = zmq_socket(context, type);
  if (!socket) die(71, "zmq_socket %s", name);
  int fd = inherited(name), hwm = 256;
  char path[sizeof((struct sockaddr_un *)0)->sun_path], endpoint[160];
  zmq_setsockopt(socket, ZMQ_SNDHWM, &hwm, sizeof hwm);
  zmq_setsockopt(socket, ZMQ_RCVHWM, &hwm, sizeof hwm);
  if (fd >= 0) {
    struct sockaddr_un address = {0};
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length)) die(71, "getsockname %s", name);
    snprintf(path, sizeof path, "%s", address.sun_path);
    if (zmq_setsockopt(socket, ZMQ_USE_FD, &fd, sizeof fd)) die(71, "ZMQ_USE_FD %s", name);
  } else {
    const char *directory = getenv("RUNTIME_DIRECTORY");
    if (!directory) die(78, "neither an inherited socket %s nor RUNTIME_DIRECTORY", name);
    snprintf(path, sizeof path, "%s/%s.sock", directory, name);
  }
  snprintf(endpoint, sizeof endpoint, "ipc://%s", path);
  if (zmq_bind(socket, endpoint)) die(71, "zmq_bind %s", endpoint);
  fprintf(stderr, "%s: %s, %s\n", name, endpoint, fd >= 0 ? "inherited" : "bound");
  return socket;
}

static const char *verdict(int result) { return result < 0 ? strerrorname_np(errno) : "yes"; }

static void probe(char *out, size_t size) {
  struct sched_param priority = {.sched_priority = 1};
  struct sockaddr_in outside = {.sin_family = AF_INET, .sin_port = htons(9)}, inside = outside;
  inet_pton(AF_INET, "192.0.2.1", &outside.sin_addr);
  inet_pton(AF_INET, "127.0.0.1", &inside.sin_addr);
  int n = 0, fd;
#define FACT(name, result) n += snprintf(out + n, size - n, "%s=%s\n", name, verdict(result))
  FACT("inet", fd = socket(AF_INET, SOCK_DGRAM, 0));
  FACT("outside", sendto(fd, "x", 1, 0, (struct sockaddr *)&outside, sizeof outside));
  FACT("loopback", sendto(fd, "x", 1, 0, (struct sockaddr *)&inside, sizeof inside));
  close(fd);
  FACT("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
  FACT("packet", socket(AF_PACKET, SOCK_RAW, 0));
  FACT("realtime", sched_setscheduler(0, SCHED_FIFO, &priority));
  FACT("namespace", unshare(CLONE_NEWUSER));
  FACT("write_etc", open("/etc/trestle/x", O_CREAT | O_WRONLY, 0600));
  FACT("write_run", open("/run/trestle/x", O_CREAT | O_WRONLY, 0600));
  unlink("/run/trestle/x");
  FACT("wx", mmap(0, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     == MAP_FAILED ? -1 : 0);
  FACT("suid", chmod(".", 04755));
  FACT("see_init", access("/proc/1/status", R_OK));
  FACT("memfd", memfd_create("x", MFD_CLOEXEC));
#undef FACT
}

static int journal(void) {
  const char *directory = getenv("STATE_DIRECTORY");
  if (!directory || chdir(directory)) die(73, "STATE_DIRECTORY");
  int lock = open("lock", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB)) die(73, "lock");
  int file = open("journal", O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) die(74, "journal");
  return file;
}

static void answer(int entries, void *request, void *publish) {
  char peer[256], body[512], reply[2048];
  int peer_size = zmq_recv(request, peer, sizeof peer, 0);
  int size = zmq_recv(request, body, sizeof body - 1, 0);
  if (peer_size < 0 || size < 0) return;
  body[size < (int)sizeof body ? size : (int)sizeof body - 1] = 0;
  if (!strcmp(body, "probe")) {
    probe(reply, sizeof reply);
  } else {
    if (write(entries, "\n", 1) != 1 || fdatasync(entries)) die(74, "commit");
    snprintf(reply, sizeof reply, "ok %lld", (long long)lseek(entries, 0, SEEK_END));
    zmq_send(publish, reply, strlen(reply), ZMQ_DONTWAIT);
  }
  zmq_send(request, peer, peer_size, ZMQ_SNDMORE);
  zmq_send(request, reply, strlen(reply), ZMQ_DONTWAIT);
}

static void serve(int entries, void *request, void *publish) {
  const char *period = getenv("WATCHDOG_USEC");
  long tick = period ? atol(period) / 3000 : 1000;
  notify("READY=1\nSTATUS=serving");
  while (!stopping) {
    char event[256];
    zmq_pollitem_t items[] = {{request, 0, ZMQ_POLLIN, 0}, {publish, 0, ZMQ_POLLIN, 0}};
    notify("WATCHDOG=1");
    if (zmq_poll(items, 2, tick) < 0 && errno != EINTR) die(71, "zmq_poll");
    if (reloading) {
      reloading = 0;
      notify("STATUS=reloaded");
    }
    if (items[0].revents) answer(entries, request, publish);
    if (items[1].revents) zmq_recv(publish, event, sizeof event, 0);
  }
  notify("STOPPING=1");
}

int main(int count, char **arguments) {
  int checking = count > 1 && !strcmp(arguments[1], "check-config"), first = 1 + checking;
  if (count != first + 2 || strcmp(arguments[first], "--config")) die(64, "usage");
  FILE *file = fopen(arguments[first + 1], "r");
  char line[256], tcp[256] = "";
  if (!file) die(78, "%s", arguments[first + 1]);
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (strstr(line, "broken")) die(78, "the configuration is broken");
    if (!strncmp(line, "tcp://", 6)) snprintf(tcp, sizeof tcp, "%s", line);
  }
  if (checking) return 0;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGHUP, &action, 0);
  sigaction(SIGTERM, &action, 0);
  int entries = journal();
  void *context = zmq_ctx_new();
  void *request = bound(context, ZMQ_ROUTER, "request");
  void *publish = bound(context, ZMQ_XPUB, "publish");
  if (*tcp && inherited("request") < 0 && zmq_bind(request, tcp)) die(71, "zmq_bind %s", tcp);
  serve(entries, request, publish);
  int linger = 0;
  zmq_setsockopt(request, ZMQ_LINGER, &linger, sizeof linger);
  zmq_setsockopt(publish, ZMQ_LINGER, &linger, sizeof linger);
  zmq_close(request);
  zmq_close(publish);
  zmq_ctx_term(context);
  return close(entries) ? 74 : 0;
}

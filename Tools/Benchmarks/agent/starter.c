// Starts programs for the agent's benchmark, and measures the life of each by the kernel's events.
//
//   starter USER each PROGRAM COUNT      start PROGRAM, wait for its end, pause for 2 ms, and again
//   starter USER burst PROGRAM COUNT     start PROGRAM as fast as possible, and wait for all ends
//   starter USER steady PROGRAM RATE SECONDS   start PROGRAM, which ends by itself, at so many starts a second
//
// `each` and `burst` give PROGRAM the argument 600, and print for each start the nanoseconds from its
// exec to its exit, both stamped by the kernel. They print `alive` for a program that lives longer
// than 20 s, which is then killed, and `unseen` if the kernel did not report the end. `steady` prints
// the number of starts and the milliseconds that they took. Everything runs as the user ID USER. Only
// root can run it.
//
// Build: cc -O2 -Wall -Wextra -Werror -o starter starter.c
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 1 << 22 };  // The largest process number of Linux, and one.
static const int64_t patience = 20000;
static struct {
  bool is_own;
  uint64_t began;
} *processes;
static int events;
static long alive;

static void fail(int status, const char *what) {
  fprintf(stderr, "starter: %s: %s\n", what, strerror(errno));
  exit(status);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void listen_to_kernel(void) {
  events = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  if (events < 0 || bind(events, (struct sockaddr *)&address, sizeof address) != 0) fail(71, "process events");
  int size = 64 << 20;
  if (setsockopt(events, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) fail(71, "the buffer of process events");
  enum proc_cn_mcast_op listen = PROC_CN_MCAST_LISTEN;
  struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof listen};
  char request[NLMSG_LENGTH(sizeof message + sizeof listen)] = {0};
  struct nlmsghdr header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE};
  memcpy(request, &header, sizeof header);
  memcpy(request + NLMSG_HDRLEN, &message, sizeof message);
  memcpy(request + NLMSG_HDRLEN + sizeof message, &listen, sizeof listen);
  if (send(events, request, sizeof request, 0) != sizeof request) fail(71, "process events");
}

static pid_t start(char *program, char *argument) {
  static posix_spawn_file_actions_t quiet;
  static bool is_ready;
  if (!is_ready) {
    posix_spawn_file_actions_init(&quiet);
    for (int number = 0; number < 3; number++) {
      posix_spawn_file_actions_addopen(&quiet, number, "/dev/null", number ? O_WRONLY : O_RDONLY, 0);
    }
    is_ready = true;
  }
  char *words[] = {program, argument, NULL}, *variables[] = {NULL};
  pid_t process;
  errno = posix_spawn(&process, program, &quiet, NULL, words, variables);
  if (errno) fail(71, program);
  return process;
}

// Reads the pending events, and returns how many of the started programs have ended.
static long ended(void) {
  long count = 0;
  for (;;) {
    char bytes[1024];
    ssize_t size = recv(events, bytes, sizeof bytes, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return count;
    if (size < 0) fail(70, "process events were lost");
    struct proc_event event = {0};
    ssize_t length = size - (ssize_t)(NLMSG_HDRLEN + sizeof(struct cn_msg));
    if (length < 16) continue;
    memcpy(&event, bytes + size - length, (size_t)length < sizeof event ? (size_t)length : sizeof event);
    pid_t process = event.event_data.exec.process_tgid;
    if (event.what == PROC_EVENT_EXEC && processes[process].is_own) processes[process].began = event.timestamp_ns;
    if (event.what != PROC_EVENT_EXIT || event.event_data.exit.process_pid != event.event_data.exit.process_tgid) continue;
    process = event.event_data.exit.process_pid;
    if (!processes[process].is_own) continue;
    // Its number is used again only after this.
    waitpid(process, NULL, 0);
    printf("%llu\n", (unsigned long long)event.timestamp_ns - processes[process].began);
    processes[process].is_own = false;
    alive--;
    count++;
  }
}

static void await(long left) {
  int64_t end = now() + patience;
  while (alive > left && now() < end) {
    struct pollfd ready = {events, POLLIN, 0};
    poll(&ready, 1, 100);
    ended();
  }
  for (pid_t process = 1; alive > left && process < most; process++) {
    if (!processes[process].is_own) continue;
    // An end that the kernel did not report is not a late one.
    bool has_ended = waitpid(process, NULL, WNOHANG) == process;
    if (!has_ended) {
      kill(process, SIGKILL);
      waitpid(process, NULL, 0);
    }
    puts(has_ended ? "unseen" : "alive");
    processes[process].is_own = false;
    alive--;
  }
}

static void steady(char *program, long rate, long seconds) {
  struct timespec begun;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  int64_t begun_at = now();
  for (long number = 0; number < rate * seconds; number++) {
    int64_t due = begun.tv_nsec + (int64_t)(number % rate) * 1000000000 / rate;
    struct timespec at = {begun.tv_sec + number / rate + due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    start(program, NULL);
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
  }
  while (waitpid(-1, NULL, 0) > 0) continue;
  printf("%ld %lld\n", rate * seconds, (long long)(now() - begun_at));
}

int main(int count, char **words) {
  bool is_steady = count == 6 && strcmp(words[2], "steady") == 0;
  bool is_burst = count == 5 && strcmp(words[2], "burst") == 0;
  if (!is_steady && !is_burst && !(count == 5 && strcmp(words[2], "each") == 0)) return 64;
  uid_t user = (uid_t)strtoul(words[1], NULL, 10);
  long starts = strtol(words[4], NULL, 10);
  if (user == 0 || starts < 1) return 64;
  if (!is_steady) {
    listen_to_kernel();
    processes = calloc(most, sizeof *processes);
    if (!processes) fail(71, "memory");
  }
  struct rlimit limit = {65536, 65536};
  setrlimit(RLIMIT_NPROC, &limit);
  if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) fail(77, words[1]);
  if (is_steady) {
    steady(words[3], starts, strtol(words[5], NULL, 10));
    return 0;
  }
  for (long number = 0; number < starts; number++) {
    processes[start(words[3], "600")].is_own = true;
    alive++;
    if (is_burst) {
      ended();
    } else {
      await(0);
      usleep(2000);
    }
  }
  await(0);
  return 0;
}

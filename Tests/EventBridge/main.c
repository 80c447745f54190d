// Tells the agent of a nested system of that system's processes, as the kernel tells the first system of its own.
//
//   LatchkeyEventBridge PROCESS
//
// PROCESS is the nested system's first process, by its number outside. Runs outside of the system, as root, until it is killed.
// Prints a line once it listens. The agent has loaded the library of Tests/BridgedEvents.
#define _GNU_SOURCE
#include "../BridgedEvents/include/BridgedEvents.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most = 1 << 22 };  // The largest process number of Linux, and one.
/// The number that a process has inside, by the one that it has outside; 0 for a process of another system.
static pid_t inside[most];
/// The process numbers' namespace of the system, and how deep it is: 1 for one of the first system's.
static ino_t system_namespace;
static int depth;

static void fail(const char *what) {
  fprintf(stderr, "LatchkeyEventBridge: %s: %s\n", what, strerror(errno));
  exit(71);
}

static int opened(pid_t process, const char *file) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", process, file);
  return open(path, O_RDONLY | O_CLOEXEC);
}

/// Returns whether a process has its number in the system's namespace, or in one below it.
static bool is_ours(pid_t process) {
  static struct { ino_t name; bool is_ours; } known[64];
  static unsigned next;
  int namespace = opened(process, "ns/pid");
  struct stat status;
  if (namespace < 0 || fstat(namespace, &status) != 0) {
    if (namespace >= 0) close(namespace);
    return false;
  }
  for (unsigned i = 0; i < 64; i++) {
    if (known[i].name != status.st_ino) continue;
    close(namespace);
    return known[i].is_ours;
  }
  ino_t name = status.st_ino;
  bool found = name == system_namespace;
  while (!found) {
    int parent = ioctl(namespace, NS_GET_PARENT);
    close(namespace);
    namespace = parent;
    if (namespace < 0) break;
    found = fstat(namespace, &status) == 0 && status.st_ino == system_namespace;
  }
  if (namespace >= 0) close(namespace);
  known[next % 64].name = name;
  known[next++ % 64].is_ours = found;
  return found;
}

/// Returns the numbers of a process from outside to inside, as /proc/PID/status has them after NSpid.
static int numbers(pid_t process, pid_t *all, int room) {
  int file = opened(process, "status");
  char text[4096];
  ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  text[size < 0 ? 0 : size] = 0;
  char *at = strstr(text, "NSpid:");
  if (!at) return 0;
  int count = 0;
  for (at += strlen("NSpid:"); count < room && *at == '\t'; count++) all[count] = (pid_t)strtol(at + 1, &at, 10);
  return count;
}

/// Looks up a process while it is there.
static pid_t resolve(pid_t process) {
  pid_t all[32];
  int count = is_ours(process) ? numbers(process, all, 32) : 0;
  return inside[process] = count > depth ? all[depth] : 0;
}

static int listen_to_kernel(void) {
  int events = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  if (events < 0 || bind(events, (struct sockaddr *)&address, sizeof address) != 0) fail("process events");
  int size = 64 << 20;
  if (setsockopt(events, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) fail("the buffer of process events");
  enum proc_cn_mcast_op listen = PROC_CN_MCAST_LISTEN;
  struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof listen};
  char request[NLMSG_LENGTH(sizeof message + sizeof listen)] = {0};
  struct nlmsghdr header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE};
  memcpy(request, &header, sizeof header);
  memcpy(request + NLMSG_HDRLEN, &message, sizeof message);
  memcpy(request + NLMSG_HDRLEN + sizeof message, &listen, sizeof listen);
  if (send(events, request, sizeof request, 0) != sizeof request) fail("process events");
  return events;
}

/// Opens the end in the nested system's network, where it has room for a storm.
static int open_end(pid_t first) {
  int network = opened(first, "ns/net");
  if (network < 0 || setns(network, CLONE_NEWNET) != 0) fail("the system's network");
  close(network);
  int setting = open("/proc/sys/net/unix/max_dgram_qlen", O_WRONLY | O_CLOEXEC);
  if (setting < 0 || write(setting, "20000", 5) != 5) fail("max_dgram_qlen");
  close(setting);
  int end = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t length;
  struct sockaddr_un own = latchkey_bridge_address(LATCHKEY_BRIDGE_OUTSIDE, &length);
  if (end < 0 || bind(end, (struct sockaddr *)&own, length) != 0) fail("the bridge's name");
  int size = 64 << 20;
  if (setsockopt(end, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0) fail("the buffer of the bridge");
  return end;
}

/// Sends a message to the agent. Without an agent it is dropped; while its queue is full, this waits, and the kernel keeps the
/// events for this process.
static void tell(int end, const char *bytes, size_t size) {
  socklen_t length;
  struct sockaddr_un agent = latchkey_bridge_address(LATCHKEY_BRIDGE_AGENT, &length);
  while (sendto(end, bytes, size, 0, (struct sockaddr *)&agent, length) < 0 && errno == EINTR) continue;
}

/// Passes on the events that wait.
static void pass(int events, int end) {
  enum { head = NLMSG_HDRLEN + sizeof(struct cn_msg) };
  char bytes[1024];
  for (;;) {
    ssize_t size = recv(events, bytes, sizeof bytes, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    struct proc_event event = {0};
    if (size < 0) {
      if (errno != ENOBUFS) fail("process events");
      // In the shape of a start, which the agent's filter lets through.
      struct cn_msg lost = {.id = {LATCHKEY_BRIDGE_LOST, 0}};
      event.what = PROC_EVENT_EXEC;
      memset(bytes, 0, head);
      memcpy(bytes + NLMSG_HDRLEN, &lost, sizeof lost);
      memcpy(bytes + head, &event, sizeof event);
      tell(end, bytes, head + sizeof event);
      continue;
    }
    size_t length = size < head ? 0 : (size_t)size - head;
    if (length > sizeof event) length = sizeof event;
    memcpy(&event, bytes + head, length);
    if (event.what == PROC_EVENT_EXEC) {
      pid_t outside = event.event_data.exec.process_tgid;
      pid_t process = inside[outside] ? inside[outside] : resolve(outside);
      if (!process) continue;
      event.event_data.exec.process_pid = event.event_data.exec.process_tgid = process;
    } else if (event.what == PROC_EVENT_FORK && event.event_data.fork.child_pid == event.event_data.fork.child_tgid) {
      pid_t parent = event.event_data.fork.parent_tgid, process = resolve(event.event_data.fork.child_tgid);
      if (!process) continue;
      parent = inside[parent] ? inside[parent] : resolve(parent);
      event.event_data.fork.child_pid = event.event_data.fork.child_tgid = process;
      event.event_data.fork.parent_pid = event.event_data.fork.parent_tgid = parent;
    } else {
      continue;
    }
    memcpy(bytes + head, &event, length);
    tell(end, bytes, (size_t)size);
  }
}

int main(int count, char **words) {
  pid_t first = count == 2 ? (pid_t)strtol(words[1], NULL, 10) : 0, all[32];
  if (first <= 0) return 64;
  int namespace = opened(first, "ns/pid");
  struct stat status;
  if (namespace < 0 || fstat(namespace, &status) != 0) fail(words[1]);
  close(namespace);
  system_namespace = status.st_ino;
  depth = numbers(first, all, 32) - 1;
  if (depth < 1) fail("a system with process numbers of its own");
  int events = listen_to_kernel(), end = open_end(first);
  puts("ready");
  fflush(stdout);
  for (;;) {
    struct pollfd ready[] = {{events, POLLIN, 0}, {end, POLLIN, 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) fail("poll");
    // Who asks is answered when what has happened before is told.
    struct sockaddr_un asker;
    socklen_t length = sizeof asker;
    char question;
    bool is_asked = recvfrom(end, &question, 1, MSG_DONTWAIT, (struct sockaddr *)&asker, &length) == 1;
    pass(events, end);
    if (is_asked) (void)sendto(end, "!", 1, MSG_DONTWAIT, (struct sockaddr *)&asker, length);
  }
}

// The yardstick of the agent's benchmark: the shortest program that closes another one as soon as
// the kernel reports its exec.
//
//   closer PROGRAM   kill every process that runs PROGRAM, until it is killed itself
//
// It has no orders, knows one file, keeps no record, and does not check that a process is still the
// same. It prints `ready` once it listens. Only root can run it.
//
// Build: cc -O2 -Wall -Wextra -Werror -o closer closer.c
#define _GNU_SOURCE
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int listening(void) {
  int events = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  if (events < 0 || bind(events, (struct sockaddr *)&address, sizeof address) != 0) return -1;
  int size = 16 << 20;
  setsockopt(events, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  enum proc_cn_mcast_op listen = PROC_CN_MCAST_LISTEN;
  struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof listen};
  char request[NLMSG_LENGTH(sizeof message + sizeof listen)] = {0};
  struct nlmsghdr header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE};
  memcpy(request, &header, sizeof header);
  memcpy(request + NLMSG_HDRLEN, &message, sizeof message);
  memcpy(request + NLMSG_HDRLEN + sizeof message, &listen, sizeof listen);
  return send(events, request, sizeof request, 0) == sizeof request ? events : -1;
}

int main(int count, char **words) {
  struct stat wanted, found;
  if (count != 2 || stat(words[1], &wanted) != 0) return 64;
  int events = listening();
  if (events < 0) {
    perror("closer: the kernel reports no processes");
    return 71;
  }
  puts("ready");
  fflush(stdout);
  for (;;) {
    char bytes[1024], path[32];
    ssize_t size = recv(events, bytes, sizeof bytes, 0);
    if (size < 0 && errno != EINTR && errno != ENOBUFS) return 71;
    struct proc_event event = {0};
    ssize_t length = size - (ssize_t)(NLMSG_HDRLEN + sizeof(struct cn_msg));
    if (length < 16) continue;
    memcpy(&event, bytes + size - length, (size_t)length < sizeof event ? (size_t)length : sizeof event);
    if (event.what != PROC_EVENT_EXEC) continue;
    pid_t process = event.event_data.exec.process_tgid;
    snprintf(path, sizeof path, "/proc/%d/exe", process);
    if (stat(path, &found) != 0 || found.st_dev != wanted.st_dev || found.st_ino != wanted.st_ino) continue;
    int handle = pidfd_open(process, 0);
    if (handle < 0) continue;
    pidfd_send_signal(handle, SIGKILL, NULL, 0);
    close(handle);
  }
}

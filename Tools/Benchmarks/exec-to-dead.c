// The least that closes a program: kills each process whose executable is the given file as soon as the kernel reports it.
// Tools/benchmark-agent measures the agent beside it. Prints a line when it listens; ends with its standard input.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char **words) {
  struct stat wanted, found;
  if (count != 2 || stat(words[1], &wanted) != 0) return 64;
  int events = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  if (events < 0 || bind(events, (struct sockaddr *)&address, sizeof address) != 0) return 71;
  char request[NLMSG_LENGTH(sizeof(struct cn_msg) + sizeof(enum proc_cn_mcast_op))] = {0};
  struct nlmsghdr header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE};
  struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(enum proc_cn_mcast_op)};
  enum proc_cn_mcast_op listen = PROC_CN_MCAST_LISTEN;
  memcpy(request, &header, sizeof header);
  memcpy(request + NLMSG_HDRLEN, &message, sizeof message);
  memcpy(request + NLMSG_HDRLEN + sizeof message, &listen, sizeof listen);
  if (send(events, request, sizeof request, 0) != sizeof request) return 71;
  puts("listens");
  fflush(stdout);
  struct pollfd ready[] = {{events, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  while (poll(ready, 2, -1) > 0 && ready[1].revents == 0) {
    char bytes[1024], path[32];
    ssize_t size = recv(events, bytes, sizeof bytes, 0);
    struct proc_event event = {0};
    if (size < (ssize_t)(NLMSG_HDRLEN + sizeof message)) continue;
    size_t length = (size_t)size - NLMSG_HDRLEN - sizeof message;
    memcpy(&event, bytes + NLMSG_HDRLEN + sizeof message, length < sizeof event ? length : sizeof event);
    if (event.what != PROC_EVENT_EXEC) continue;
    pid_t process = event.event_data.exec.process_tgid;
    snprintf(path, sizeof path, "/proc/%d/exe", process);
    if (stat(path, &found) != 0 || found.st_dev != wanted.st_dev || found.st_ino != wanted.st_ino) continue;
    int handle = pidfd_open(process, 0);
    if (handle < 0) continue;
    pidfd_send_signal(handle, SIGKILL, NULL, 0);
    close(handle);
  }
  return 0;
}

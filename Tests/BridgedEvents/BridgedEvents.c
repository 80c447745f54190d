#define _GNU_SOURCE
#include "BridgedEvents.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/// The agent's socket of events; -1 before there is one.
static int events = -1;

int socket(int domain, int type, int protocol) {
  if (domain != PF_NETLINK || protocol != NETLINK_CONNECTOR) return NEXT(socket)(domain, type, protocol);
  return events = NEXT(socket)(AF_UNIX, type, 0);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t size) {
  if (descriptor < 0 || descriptor != events) return NEXT(bind)(descriptor, address, size);
  struct sockaddr_un own = latchkey_bridge_address(LATCHKEY_BRIDGE_AGENT, &size);
  return NEXT(bind)(descriptor, (struct sockaddr *)&own, size);
}

// What the agent asks of the kernel, the bridge has asked for.
ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
  if (descriptor < 0 || descriptor != events) return NEXT(send)(descriptor, bytes, count, flags);
  return (ssize_t)count;
}

ssize_t recvfrom(
  int descriptor, void *restrict bytes, size_t count, int flags, struct sockaddr *restrict sender, socklen_t *restrict length) {
  if (descriptor < 0 || descriptor != events) return NEXT(recvfrom)(descriptor, bytes, count, flags, sender, length);
  struct sockaddr_un from = {0};
  socklen_t size = sizeof from, expected;
  ssize_t received = NEXT(recvfrom)(descriptor, bytes, count, flags, (struct sockaddr *)&from, &size);
  if (received < 0) return received;
  struct sockaddr_un bridge = latchkey_bridge_address(LATCHKEY_BRIDGE_OUTSIDE, &expected);
  int is_bridge = size == expected && memcmp(&from, &bridge, size) == 0;
  struct cn_msg message;
  if (is_bridge && received >= (ssize_t)(NLMSG_HDRLEN + sizeof message)) {
    memcpy(&message, (char *)bytes + NLMSG_HDRLEN, sizeof message);
    if (message.id.idx == LATCHKEY_BRIDGE_LOST) {
      errno = ENOBUFS;
      return -1;
    }
  }
  // The kernel alone has the number 0.
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_pid = is_bridge ? 0 : 1};
  if (sender && length) {
    memcpy(sender, &kernel, *length < sizeof kernel ? *length : sizeof kernel);
    *length = sizeof kernel;
  }
  return received;
}

// The bridge can give the number of a process only as long as it is there: it is not reaped before the bridge has told all that
// has happened.
pid_t waitpid(pid_t process, int *status, int options) {
  if (events >= 0 && process > 0 && !(options & WNOHANG)) {
    siginfo_t information;
    while (waitid(P_PID, (id_t)process, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    int asking = NEXT(socket)(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = 2};
    setsockopt(asking, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    // Any name, which the kernel chooses.
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    socklen_t size;
    struct sockaddr_un bridge = latchkey_bridge_address(LATCHKEY_BRIDGE_OUTSIDE, &size);
    char answer;
    if (NEXT(bind)(asking, (struct sockaddr *)&own, sizeof own.sun_family) == 0 &&
        sendto(asking, "?", 1, 0, (struct sockaddr *)&bridge, size) == 1)
      (void)NEXT(recvfrom)(asking, &answer, 1, 0, NULL, NULL);
    close(asking);
  }
  return NEXT(waitpid)(process, status, options);
}

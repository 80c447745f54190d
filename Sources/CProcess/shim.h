#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/stat.h>
#include <malloc.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <unistd.h>

// Swift cannot call a function with a variable number of arguments.

static inline int latchkey_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

static inline int latchkey_set_dumpable(int value) { return prctl(PR_SET_DUMPABLE, value, 0, 0, 0); }

// Of the C library since 2.34; its header declares it only to programs that ask for more than POSIX.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// A descriptor that names the process until it is closed, and can be polled for its end; -1 and errno where there is none.
static inline int latchkey_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// 1 if the kernel says that a time service keeps the wall clock, else 0. A clock that was set by hand is not kept until the
// service has looked at it again.
static inline int latchkey_clock_is_kept(void) {
  struct timex state = {0};
  int condition = adjtimex(&state);
  return condition >= 0 && condition != TIME_ERROR && !(state.status & STA_UNSYNC);
}

// Sends a signal to the process that a descriptor names; -1 and errno otherwise.
static inline int latchkey_pidfd_signal(int descriptor, int number) {
  return (int)syscall(SYS_pidfd_send_signal, descriptor, number, NULL, 0);
}

// 1 if the system call with a number waits for the end of a child, else 0.
static inline int latchkey_waits_for_child(long call) { return call == SYS_wait4 || call == SYS_waitid; }

// Who is at the other end of a local socket when it was connected; -1 and errno otherwise.
static inline int latchkey_peer(int socket, uid_t *user, pid_t *process) {
  // struct ucred, which the header declares only to programs that ask for more than POSIX.
  struct { pid_t pid; uid_t uid; gid_t gid; } peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
}

// What the kernel knows of a file without asking whoever serves its file system: device, inode, mode, links, owner, size and
// the times of the last changes; -1 and errno where it does not know all of them.
static inline int latchkey_known_status(const char *path, struct stat *status) {
  enum { without_asking = 0x4000 };  // AT_STATX_DONT_SYNC, which the header declares only to GNU programs.
  struct statx found;
  memset(&found, 0, sizeof found);
  if (syscall(SYS_statx, AT_FDCWD, path, without_asking, STATX_BASIC_STATS, &found) != 0) return -1;
  if ((found.stx_mask & STATX_BASIC_STATS) != STATX_BASIC_STATS) {
    errno = ENODATA;
    return -1;
  }
  memset(status, 0, sizeof *status);
  status->st_dev = makedev(found.stx_dev_major, found.stx_dev_minor);
  status->st_ino = found.stx_ino;
  status->st_mode = found.stx_mode;
  status->st_nlink = found.stx_nlink;
  status->st_uid = found.stx_uid;
  status->st_gid = found.stx_gid;
  status->st_size = (off_t)found.stx_size;
  status->st_mtim.tv_sec = found.stx_mtime.tv_sec;
  status->st_mtim.tv_nsec = found.stx_mtime.tv_nsec;
  status->st_ctim.tv_sec = found.stx_ctime.tv_sec;
  status->st_ctim.tv_nsec = found.stx_ctime.tv_nsec;
  return 0;
}

// The inode of a folder, the time of its birth, 0 where the file system knows none, and its owner, without asking whoever serves
// its file system and without mounting it; -1 and errno if there is none.
static inline int latchkey_folder_identity(const char *path, uint64_t *inode, int64_t *seconds, uint32_t *nanoseconds, uid_t *owner) {
  struct statx found;
  memset(&found, 0, sizeof found);
  enum { as_it_is_known = 0x4000 | 0x800 };  // AT_STATX_DONT_SYNC and AT_NO_AUTOMOUNT.
  if (syscall(SYS_statx, AT_FDCWD, path, as_it_is_known, STATX_BASIC_STATS | STATX_BTIME, &found) != 0) return -1;
  if ((found.stx_mode & S_IFMT) != S_IFDIR) {
    errno = ENODATA;
    return -1;
  }
  *inode = found.stx_ino;
  *seconds = found.stx_btime.tv_sec;
  *nanoseconds = found.stx_btime.tv_nsec;
  *owner = found.stx_uid;
  return 0;
}

// Asks the kernel for slices of the processor of so many nanoseconds for a thread, 0 for the caller, if it has no real-time policy;
// -1 and errno otherwise.
static inline int latchkey_request_slice(pid_t thread, uint64_t nanoseconds) {
  // struct sched_attr in its first form, which not every C library's headers agree with the kernel's about.
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes;
  memset(&attributes, 0, sizeof attributes);
  if (syscall(SYS_sched_getattr, thread, &attributes, sizeof attributes, 0) != 0) return -1;
  if (attributes.policy != 0 && attributes.policy != 3) {  // SCHED_OTHER, SCHED_BATCH
    errno = EINVAL;
    return -1;
  }
  attributes.runtime = nanoseconds;
  return (int)syscall(SYS_sched_setattr, thread, &attributes, 0);
}

// Gives the free parts of the heap back to the kernel.
static inline void latchkey_trim_heap(void) { (void)malloc_trim(0); }

// A file in memory that is gone when it is closed; -1 and errno where there is none.
static inline int latchkey_memory_file(void) { return (int)syscall(SYS_memfd_create, "", 1U); }

// Lets the kernel keep two kinds of events for a socket alone: a program was started, and, if `copies` is not 0, a process was
// copied. Each of the others, most of which are ends and threads, would wake the reader.
static inline void latchkey_events_select(int descriptor, int copies) {
  enum { event = NLMSG_HDRLEN + sizeof(struct cn_msg) };
  // Words are loaded in the order of the network.
  struct sock_filter steps[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, event),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXEC), 5, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_FORK), copies ? 0 : 5, 5),
    // A thread has another number than its process.
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, event + offsetof(struct proc_event, event_data.fork.child_pid)),
    BPF_STMT(BPF_MISC | BPF_TAX, 0),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, event + offsetof(struct proc_event, event_data.fork.child_tgid)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
    BPF_STMT(BPF_RET | BPF_K, 0),
  };
  struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
  // The kernel may refuse: the programs of all filters share a bound, which others can use up. Without one all events come, and
  // those that are of no use are read and forgotten.
  int none = 0;
  if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0 && copies)
    (void)setsockopt(descriptor, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none);
}

// A socket on which the kernel tells of processes, with room for many; -1 and errno where it cannot be had.
static inline int latchkey_events_open(int bytes) {
  int descriptor = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  // What may exceed the system's bound is for root.
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  latchkey_events_select(descriptor, 0);
  struct { char bytes[NLMSG_LENGTH(sizeof(struct cn_msg) + sizeof(enum proc_cn_mcast_op))]; } request;
  memset(&request, 0, sizeof request);
  struct nlmsghdr header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE};
  struct cn_msg message = {.id = {.idx = CN_IDX_PROC, .val = CN_VAL_PROC}, .len = sizeof(enum proc_cn_mcast_op)};
  enum proc_cn_mcast_op operation = PROC_CN_MCAST_LISTEN;
  memcpy(request.bytes, &header, sizeof header);
  memcpy(request.bytes + NLMSG_HDRLEN, &message, sizeof message);
  memcpy(request.bytes + NLMSG_HDRLEN + sizeof message, &operation, sizeof operation);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0
      || send(descriptor, &request, sizeof request, 0) != (ssize_t)sizeof request) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
  }
  return descriptor;
}

// The next event: 1 a program was started in a process, 2 a process was copied from a parent, 0 another event;
// -1 and errno without one.
static inline int latchkey_events_next(int descriptor, pid_t *process, pid_t *parent) {
  char bytes[1024];
  struct sockaddr_nl sender;
  socklen_t size = sizeof sender;
  ssize_t count = recvfrom(descriptor, bytes, sizeof bytes, 0, (struct sockaddr *)&sender, &size);
  if (count < 0) return -1;
  // Any program may send here; the kernel alone has the number 0.
  if (size != sizeof sender || sender.nl_pid != 0) return 0;
  struct cn_msg message;
  struct proc_event event;
  memset(&event, 0, sizeof event);
  if (count < (ssize_t)(NLMSG_HDRLEN + sizeof message)) return 0;
  memcpy(&message, bytes + NLMSG_HDRLEN, sizeof message);
  if (message.id.idx != CN_IDX_PROC || message.id.val != CN_VAL_PROC) return 0;
  size_t length = (size_t)count - NLMSG_HDRLEN - sizeof message;
  memcpy(&event, bytes + NLMSG_HDRLEN + sizeof message, length < sizeof event ? length : sizeof event);
  if (event.what == PROC_EVENT_EXEC) {
    *process = event.event_data.exec.process_tgid;
    return 1;
  }
  if (event.what == PROC_EVENT_FORK && event.event_data.fork.child_pid == event.event_data.fork.child_tgid) {
    *process = event.event_data.fork.child_tgid;
    *parent = event.event_data.fork.parent_tgid;
    return 2;
  }
  return 0;
}

// The state of the TCP socket whose own end is `own` and whose other end is `other`, addresses of `size` bytes in the order of the
// network, and its owner; -1 and errno otherwise, ENOENT if there is none. The kernel looks one socket up, and reads no table.
static inline int latchkey_tcp_owner(
    size_t size, const uint8_t *own, uint16_t own_port, const uint8_t *other, uint16_t other_port, uid_t *owner) {
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 question;
  } request;
  memset(&request, 0, sizeof request);
  if (size != 4 && size != 16) {
    errno = EINVAL;
    return -1;
  }
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.question.sdiag_family = size == 4 ? AF_INET : AF_INET6;
  request.question.sdiag_protocol = IPPROTO_TCP;
  request.question.idiag_states = 0xffffffff;
  memcpy(request.question.id.idiag_src, own, size);
  memcpy(request.question.id.idiag_dst, other, size);
  request.question.id.idiag_sport = htons(own_port);
  request.question.id.idiag_dport = htons(other_port);
  request.question.id.idiag_cookie[0] = request.question.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return -1;
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK}, sender = {0};
  socklen_t length = sizeof sender;
  union {
    struct nlmsghdr header;
    char bytes[8192];
  } answer;
  ssize_t count = -1;
  if (sendto(descriptor, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel) == (ssize_t)sizeof request)
    count = recvfrom(descriptor, &answer, sizeof answer, 0, (struct sockaddr *)&sender, &length);
  int code = errno;
  close(descriptor);
  errno = count < 0 ? code : EPROTO;
  // The kernel alone has the number 0.
  if (count < (ssize_t)sizeof answer.header || length != sizeof sender || sender.nl_pid != 0) return -1;
  if (answer.header.nlmsg_type == NLMSG_ERROR && count >= (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
    struct nlmsgerr fault;
    memcpy(&fault, answer.bytes + NLMSG_HDRLEN, sizeof fault);
    errno = fault.error < 0 ? -fault.error : EPROTO;
    return -1;
  }
  struct inet_diag_msg found;
  if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || count < (ssize_t)NLMSG_LENGTH(sizeof found)) return -1;
  memcpy(&found, answer.bytes + NLMSG_HDRLEN, sizeof found);
  // Where no socket has both ends, the kernel answers with one that listens. A socket of version 6 may have reached an address of
  // version 4, whose form then is another one: ports that are right, with a connection, are of the socket that was asked for.
  if (found.id.idiag_sport != request.question.id.idiag_sport) return -1;
  *owner = found.idiag_uid;
  return found.idiag_state;
}

// What landlock_create_ruleset knows on this machine, 1 or more; 0 where there is no Landlock.
static inline int latchkey_landlock_version(void) {
  long version = syscall(444, NULL, 0, 1U);  // SYS_landlock_create_ruleset, LANDLOCK_CREATE_RULESET_VERSION
  return version > 0 ? (int)version : 0;
}

// A set of rules for files, in which what is handled is forbidden unless a rule permits it; -1 and errno otherwise.
static inline int latchkey_landlock_open(uint64_t handled, uint64_t scoped) {
  // struct landlock_ruleset_attr, of which headers know less than kernels. What a kernel does not know must be 0.
  struct {
    uint64_t files, network, scoped;
  } attributes = {.files = handled, .network = 0, .scoped = scoped};
  return (int)syscall(444, &attributes, scoped == 0 ? sizeof attributes.files : sizeof attributes, 0U);
}

// Permits what may be done with a file, or with a folder and everything in it; -1 and errno otherwise.
static inline int latchkey_landlock_permit(int rules, const char *path, uint64_t permitted) {
  enum { path_alone = 010000000, files_alone = 1 | 2 | 4 | 1 << 14 };  // O_PATH; execute, write, read, truncate
  int descriptor = open(path, path_alone | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat status;
  struct __attribute__((packed)) {
    uint64_t permitted;
    int32_t parent;
  } rule = {.permitted = permitted, .parent = descriptor};
  int result = fstat(descriptor, &status);
  if (result == 0 && !S_ISDIR(status.st_mode)) rule.permitted &= files_alone;
  if (result == 0) result = (int)syscall(445, rules, 1, &rule, 0U);  // SYS_landlock_add_rule, LANDLOCK_RULE_PATH_BENEATH
  int code = errno;
  close(descriptor);
  errno = code;
  return result;
}

// Puts a set of rules in force for the calling thread, and for the threads and programs that it starts from now on, for good;
// -1 and errno otherwise.
static inline int latchkey_landlock_enforce(int rules) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(446, rules, 0U);  // SYS_landlock_restrict_self
}

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

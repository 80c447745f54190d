#define _GNU_SOURCE
#include "ClockShift.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = NEXT(clock_gettime)(clock, time);
  const char *shift = getenv("LATCHKEY_CLOCK_SHIFT");
  if (result == 0 && clock == CLOCK_REALTIME && shift) time->tv_sec += atol(shift);
  return result;
}

// A clock that was set by hand is not one that a time service keeps.
int adjtimex(struct timex *state) {
  int result = NEXT(adjtimex)(state);
  if (!getenv("LATCHKEY_CLOCK_SHIFT")) return result;
  state->status |= STA_UNSYNC;
  return TIME_ERROR;
}

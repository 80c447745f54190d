// Timers that are set to an instant, which the kernel compares with its own clocks.
#define _GNU_SOURCE
#include "ClockShift.h"
#include "Clocks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/timerfd.h>

#define TIMERS 1024

/// The timers by their descriptors: their clock, and what they are set to by the shifted one.
static struct {
  int is_set, flags;
  clockid_t clock;
  int64_t shift;
  struct itimerspec value;
} timers[TIMERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int set(int timer, struct itimerspec *old) {
  struct itimerspec value = timers[timer].value;
  timers[timer].shift = latchkey_shift(timers[timer].clock);
  value.it_value = latchkey_moved(value.it_value, -timers[timer].shift);
  return NEXT(timerfd_settime)(timer, timers[timer].flags, &value, old);
}

int timerfd_create(int clock, int flags) {
  int timer = NEXT(timerfd_create)(clock, flags);
  if (timer < 0 || timer >= TIMERS) return timer;
  pthread_mutex_lock(&lock);
  timers[timer].is_set = 0;
  timers[timer].clock = clock;
  pthread_mutex_unlock(&lock);
  return timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
  if (timer < 0 || timer >= TIMERS) return NEXT(timerfd_settime)(timer, flags, value, old);
  pthread_mutex_lock(&lock);
  int is_instant = flags & TFD_TIMER_ABSTIME && (value->it_value.tv_sec || value->it_value.tv_nsec);
  timers[timer].is_set = is_instant;
  timers[timer].flags = flags;
  timers[timer].value = *value;
  int result = is_instant ? set(timer, old) : NEXT(timerfd_settime)(timer, flags, value, old);
  pthread_mutex_unlock(&lock);
  return result;
}

/// Sets timers again when a clock leaps.
static void *follow(void *unused) {
  while (1) {
    pthread_mutex_lock(&lock);
    for (int timer = 0; timer < TIMERS; timer++) {
      if (!timers[timer].is_set || timers[timer].shift == latchkey_shift(timers[timer].clock)) continue;
      if (set(timer, NULL) != 0) timers[timer].is_set = 0;
    }
    pthread_mutex_unlock(&lock);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  return unused;
}

__attribute__((constructor(102))) static void begin(void) {
  pthread_t thread;
  if (getenv("LATCHKEY_CLOCKS")) pthread_create(&thread, NULL, follow, NULL);
}

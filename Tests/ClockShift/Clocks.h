// What the parts of the library share.
#include <stdint.h>
#include <time.h>

#define NANOSECONDS 1000000000LL
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/// The clocks; never NULL.
extern const volatile struct latchkey_clocks *latchkey_clocks;

/// How long all leaps together were up to an instant of the kernel's boot clock, in nanoseconds.
int64_t latchkey_leaps(int64_t before, int with_sleep);

/// By how much a clock is ahead of the kernel's, in nanoseconds.
int64_t latchkey_shift(clockid_t clock);

/// An instant that is later by so many nanoseconds, and never zero.
struct timespec latchkey_moved(struct timespec time, int64_t by);

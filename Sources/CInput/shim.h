#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// Swift cannot call a function with a variable number of arguments.

// What an input device says of itself.
struct latchkey_input_device {
  uint16_t bus;
  // A bit for each of its properties (INPUT_PROP_*).
  uint8_t properties[(INPUT_PROP_CNT + 7) / 8];
  // A bit for each of its keys and buttons (KEY_*, BTN_*).
  uint8_t keys[(KEY_CNT + 7) / 8];
};

// Opens an input device, whose events carry the time of the boot clock from then on; -1 and errno otherwise.
static inline int latchkey_input_open(const char *path, struct latchkey_input_device *device) {
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return -1;
  struct input_id id;
  int clock = CLOCK_BOOTTIME;
  memset(device, 0, sizeof *device);
  if (ioctl(descriptor, EVIOCSCLOCKID, &clock) < 0 || ioctl(descriptor, EVIOCGID, &id) < 0
      || ioctl(descriptor, EVIOCGPROP(sizeof device->properties), device->properties) < 0
      || ioctl(descriptor, EVIOCGBIT(EV_KEY, sizeof device->keys), device->keys) < 0) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
  }
  device->bus = id.bustype;
  return descriptor;
}

// Reads the events that wait: 1 and the time of the last one that a person made, in milliseconds; 0 without one; -1 if the
// device is gone. A key that repeats by itself is no input, nor is a lamp; positions count only where it is asked.
static inline int latchkey_input_last(int descriptor, int with_positions, int64_t *milliseconds) {
  struct input_event events[64];
  int found = 0;
  for (int round = 0; round < 64; round++) {
    ssize_t count = read(descriptor, events, sizeof events);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN ? found : -1;
    if (count == 0) return -1;
    for (size_t index = 0; index < (size_t)count / sizeof events[0]; index++) {
      const struct input_event *event = &events[index];
      if ((event->type == EV_KEY && event->value != 2) || event->type == EV_REL
          || (event->type == EV_ABS && with_positions)) {
        *milliseconds = (int64_t)event->input_event_sec * 1000 + event->input_event_usec / 1000;
        found = 1;
      }
    }
  }
  return found;
}

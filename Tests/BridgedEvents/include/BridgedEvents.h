#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/// Loaded in front of the C library (LD_PRELOAD) of an agent in a nested system, has the kernel's events about processes come
/// from the bridge outside: Tests/EventBridge.
///
/// The kernel tells no other namespace than the first of processes. Instead of the kernel's socket, the agent gets a local one,
/// to which the bridge sends each event as the kernel made it, with the process numbers of the nested system.
enum {
  /// In place of CN_IDX_PROC: events were lost.
  LATCHKEY_BRIDGE_LOST = 0x6c6f7374,
};

/// The agent's end, and the bridge's; in the nested system's own space of names.
#define LATCHKEY_BRIDGE_AGENT "latchkey-events"
#define LATCHKEY_BRIDGE_OUTSIDE "latchkey-bridge"

/// Returns the address of an end.
static inline struct sockaddr_un latchkey_bridge_address(const char *name, socklen_t *size) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  // A name that begins with a zero is no file's.
  memcpy(address.sun_path + 1, name, strlen(name));
  *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  return address;
}

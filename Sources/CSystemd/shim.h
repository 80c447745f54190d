#include <dlfcn.h>
#include <systemd/sd-bus.h>

/*
 * The library is loaded when it is first used: only an agent and the programs that show notices do, and it brings seven
 * others along, for the start of which every program here would wait.
 */
#define LATCHKEY_BUS_FUNCTIONS(F) \
  F(sd_bus_add_match_async) \
  F(sd_bus_call) \
  F(sd_bus_close) \
  F(sd_bus_error_free) \
  F(sd_bus_get_fd) \
  F(sd_bus_is_ready) \
  F(sd_bus_message_append_basic) \
  F(sd_bus_message_close_container) \
  F(sd_bus_message_enter_container) \
  F(sd_bus_message_exit_container) \
  F(sd_bus_message_new_method_call) \
  F(sd_bus_message_open_container) \
  F(sd_bus_message_read_basic) \
  F(sd_bus_message_ref) \
  F(sd_bus_message_skip) \
  F(sd_bus_message_unref) \
  F(sd_bus_new) \
  F(sd_bus_process) \
  F(sd_bus_set_address) \
  F(sd_bus_set_bus_client) \
  F(sd_bus_start) \
  F(sd_bus_unref) \
  F(sd_bus_wait)

#define LATCHKEY_FIELD(name) __typeof__(&name) name;
#define LATCHKEY_FIND(name) \
  library->name = (__typeof__(&name)) dlsym(handle, #name); \
  if (!library->name) return 0;

/* The functions of libsystemd that are used. */
struct SystemdLibrary {
  LATCHKEY_BUS_FUNCTIONS(LATCHKEY_FIELD)
};

/* Loads the library for the life of the process; 0 when it is not installed. */
static inline int latchkey_load_systemd(struct SystemdLibrary *library) {
  void *handle = dlopen("libsystemd.so.0", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return 0;
  LATCHKEY_BUS_FUNCTIONS(LATCHKEY_FIND)
  return 1;
}

#undef LATCHKEY_FIELD
#undef LATCHKEY_FIND

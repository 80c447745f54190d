#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <avahi-core/rr.h>
#include <avahi-common/address.h>
#include <avahi-common/defs.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/watch.h>
#include <dlfcn.h>

/* Loaded, not linked, for the reason given in CAvahi's shim. */
#define LATCHKEY_CORE_FUNCTIONS(F) \
  F(avahi_set_log_function) \
  F(avahi_server_config_init) \
  F(avahi_server_config_free) \
  F(avahi_server_new) \
  F(avahi_server_free) \
  F(avahi_server_errno) \
  F(avahi_s_entry_group_new) \
  F(avahi_s_entry_group_free) \
  F(avahi_s_entry_group_commit) \
  F(avahi_server_add_address) \
  F(avahi_server_add_service_strlst) \
  F(avahi_server_update_service_txt_strlst) \
  F(avahi_s_service_browser_new) \
  F(avahi_s_service_browser_free) \
  F(avahi_s_service_resolver_new) \
  F(avahi_s_service_resolver_free) \
  F(avahi_s_record_browser_new) \
  F(avahi_s_record_browser_free) \
  F(avahi_key_new) \
  F(avahi_key_unref)

#define LATCHKEY_FIELD(name) __typeof__(&name) name;
#define LATCHKEY_FIND(name) \
  library->name = (__typeof__(&name)) dlsym(handle, #name); \
  if (!library->name) return 0;

/* The functions of libavahi-core that are used. */
struct AvahiCoreLibrary {
  LATCHKEY_CORE_FUNCTIONS(LATCHKEY_FIELD)
};

/* Loads the library for the life of the process; 0 when it is not installed. */
static inline int latchkey_load_avahi_core(struct AvahiCoreLibrary *library) {
  void *handle = dlopen("libavahi-core.so.7", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
  LATCHKEY_CORE_FUNCTIONS(LATCHKEY_FIND)
  return 1;
}

#undef LATCHKEY_FIELD
#undef LATCHKEY_FIND

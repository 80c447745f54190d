#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/address.h>
#include <avahi-common/defs.h>
#include <avahi-common/domain.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <avahi-common/strlst.h>
#include <avahi-common/watch.h>
#include <dlfcn.h>

/*
 * libavahi-client and libavahi-core both export avahi_entry_group_free, with different parameters, and each calls its
 * own through the dynamic linker. Linked into one program, one of them calls the other's and aborts. So neither is
 * linked: each is loaded out of the other's sight. Only libavahi-common is linked.
 */
#define LATCHKEY_CLIENT_FUNCTIONS(F) \
  F(avahi_client_new) \
  F(avahi_client_free) \
  F(avahi_client_errno) \
  F(avahi_entry_group_new) \
  F(avahi_entry_group_free) \
  F(avahi_entry_group_commit) \
  F(avahi_entry_group_add_address) \
  F(avahi_entry_group_add_record) \
  F(avahi_entry_group_add_service_strlst) \
  F(avahi_entry_group_update_service_txt_strlst) \
  F(avahi_service_browser_new) \
  F(avahi_service_browser_free) \
  F(avahi_service_resolver_new) \
  F(avahi_service_resolver_free) \
  F(avahi_record_browser_new) \
  F(avahi_record_browser_free)

#define LATCHKEY_FIELD(name) __typeof__(&name) name;
#define LATCHKEY_FIND(name) \
  library->name = (__typeof__(&name)) dlsym(handle, #name); \
  if (!library->name) return 0;

/* The functions of libavahi-client that are used. */
struct AvahiClientLibrary {
  LATCHKEY_CLIENT_FUNCTIONS(LATCHKEY_FIELD)
};

/* Loads the library for the life of the process; 0 when it is not installed. */
static inline int latchkey_load_avahi_client(struct AvahiClientLibrary *library) {
  void *handle = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
  LATCHKEY_CLIENT_FUNCTIONS(LATCHKEY_FIND)
  return 1;
}

#undef LATCHKEY_FIELD
#undef LATCHKEY_FIND

// Finds conformances of types to protocols in a table, instead of in all records of the program.
//
// At the first cast of a type to a protocol, Swift's runtime goes through all of the program's
// records of conformances, more than 14,000 of them. The start of a node has more than 60 such
// casts, most of them in swift-argument-parser and swift-nio, and they took a third of its
// instructions. So `Tools/Package/release-options` has the linker call the functions below in the
// place of the runtime's. They answer from a table that the first of them makes, and ask the
// runtime whenever its answer could depend on anything but one record. All Swift code of such a
// program is linked into it, so the program's own records are all there are.
// `latchkey-bench conformances` compares the table with the runtime.
//
// The layout of records and descriptors is the one of Swift's ABI (swift/ABI/Metadata.h and
// MetadataValues.h in the compiler's repository).

#include "static.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Offsets from their own address; 0 stands for no pointer.
struct conformance {
  int32_t protocol;
  int32_t type;
  int32_t witnesses;
  uint32_t flags;
};

struct type_descriptor {
  uint32_t flags;
  int32_t parent, name, metadata, fields;
  // Of a class; the mangled name of its superclass.
  int32_t superclass;
};

enum { DESCRIPTOR_KIND = 0x1f, CLASS_DESCRIPTOR = 16, IS_UNIQUE = 1 << 6, IS_GENERIC = 1 << 7 };
// The kinds of metadata: the second word refers to the descriptor, and of a class, the sixth does.
enum { CLASS = 0, STRUCT = 0x200, ENUM = 0x201, OPTIONAL = 0x202 };
// How a conformance refers to its type.
enum { DIRECT = 0, INDIRECT = 1 };
// Flags of conformances that only the runtime judges: several modules have the same one; there are
// conditions; it is isolated to an actor; there are conditions for packs.
static const uint32_t RUNTIME_JUDGES = 1u << 7 | 0xffu << 8 | 1u << 19 | 0xffu << 24;

// The places of conformances in the program's list plus one, at the hash of type and protocol or
// behind it; 0 is an empty place. At most three quarters of the places are used.
enum { PLACES = 1 << 15, MOST_RECORDS = PLACES / 4 * 3 };
static uint16_t table[PLACES];
static bool is_made;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_ready;

// The linker's names for the program's list.
extern const int32_t __start_swift5_protocol_conformances[] __attribute__((visibility("hidden")));
extern const int32_t __stop_swift5_protocol_conformances[] __attribute__((visibility("hidden")));

extern const void *swift_getWitnessTable(const struct conformance *, const void *type, const void *const *arguments);

static const void *target(const int32_t *offset) {
  return *offset == 0 ? NULL : (const char *)offset + *offset;
}

static const struct conformance *record(size_t index) {
  return target(&__start_swift5_protocol_conformances[index]);
}

// An odd offset leads to a pointer.
static const void *protocol_of(const struct conformance *conformance) {
  int32_t offset = conformance->protocol;
  const char *base = (const char *)&conformance->protocol;
  return offset & 1 ? *(const void *const *)(base + (offset & ~1)) : base + offset;
}

static const void *type_of(const struct conformance *conformance) {
  const void *type = target(&conformance->type);
  switch (conformance->flags >> 3 & 7) {
    case DIRECT: return type;
    case INDIRECT: return type == NULL ? NULL : *(const void *const *)type;
    default: return NULL;
  }
}

static size_t place(const void *type, const void *protocol) {
  uint64_t key = (uint64_t)(uintptr_t)type * 31 + (uint64_t)(uintptr_t)protocol;
  return key * 0x9e3779b97f4a7c15u >> 49;
}

static void make(void) {
  size_t count = (size_t)(__stop_swift5_protocol_conformances - __start_swift5_protocol_conformances);
  is_made = count <= MOST_RECORDS;
  for (size_t index = 0; is_made && index < count; index += 1) {
    size_t at = place(type_of(record(index)), protocol_of(record(index)));
    while (table[at] != 0) at = (at + 1) % PLACES;
    table[at] = (uint16_t)(index + 1);
  }
  atomic_store_explicit(&is_ready, true, memory_order_release);
}

// Returns the descriptor of a type of which there is one descriptor in the program, or NULL.
static const struct type_descriptor *descriptor_of(const void *type) {
  const uintptr_t *fields = type;
  const struct type_descriptor *descriptor = NULL;
  switch (fields[0]) {
    case STRUCT: case ENUM: case OPTIONAL: descriptor = (const void *)fields[1]; break;
    case CLASS: descriptor = (const void *)fields[5]; break;
    default: break;
  }
  return descriptor != NULL && descriptor->flags & IS_UNIQUE ? descriptor : NULL;
}

bool latchkey_conformance(const void *type, const void *protocol, const void **witnesses) {
  const struct type_descriptor *descriptor = descriptor_of(type);
  if (descriptor == NULL) return false;
  if (!atomic_load_explicit(&is_ready, memory_order_acquire)) pthread_once(&once, make);
  if (!is_made) return false;

  const struct conformance *found = NULL;
  for (size_t at = place(descriptor, protocol); table[at] != 0; at = (at + 1) % PLACES) {
    const struct conformance *conformance = record(table[at] - 1);
    if (type_of(conformance) != descriptor || protocol_of(conformance) != protocol) continue;
    // Two modules can declare the same conformance; which one counts is the runtime's choice.
    if (found != NULL) return false;
    found = conformance;
  }
  if (found == NULL) {
    // A class can conform by its superclass.
    bool is_derived = (descriptor->flags & DESCRIPTOR_KIND) == CLASS_DESCRIPTOR && descriptor->superclass != 0;
    *witnesses = NULL;
    return !is_derived;
  }
  if (found->flags & RUNTIME_JUDGES) return false;
  *witnesses = swift_getWitnessTable(found, type, NULL);
  return true;
}

bool latchkey_conformance_at(size_t index, const void **type, const void **protocol) {
  if (index >= (size_t)(__stop_swift5_protocol_conformances - __start_swift5_protocol_conformances)) return false;
  const struct type_descriptor *descriptor = type_of(record(index));
  *protocol = protocol_of(record(index));
  *type = NULL;
  // Other kinds of types are not declared in one place, and a generic type has no metadata of its own.
  if (descriptor == NULL || (descriptor->flags & DESCRIPTOR_KIND) < CLASS_DESCRIPTOR) return true;
  if (descriptor->flags & IS_GENERIC || descriptor->metadata == 0) return true;
  // It returns a second word, the metadata's state; 0 asks for metadata that is complete.
  struct response { const void *type; size_t state; } (*metadata)(size_t) = (void *)target(&descriptor->metadata);
  *type = metadata(0).type;
  return true;
}

// The runtime's functions. They exist only in a program that is linked with the options for release.
extern const void *__real_swift_conformsToProtocol(const void *, const void *) __attribute__((weak));
extern const void *__real_swift_conformsToProtocolCommon(const void *, const void *) __attribute__((weak));
extern const void *__real_swift_conformsToProtocolWithExecutionContext(const void *, const void *, void *)
  __attribute__((weak));

const void *latchkey_runtime_conformance(const void *type, const void *protocol) {
  return __real_swift_conformsToProtocolCommon(type, protocol);
}

const void *__wrap_swift_conformsToProtocol(const void *type, const void *protocol) {
  const void *witnesses;
  return latchkey_conformance(type, protocol, &witnesses) ? witnesses : __real_swift_conformsToProtocol(type, protocol);
}

const void *__wrap_swift_conformsToProtocolCommon(const void *type, const void *protocol) {
  const void *witnesses;
  return latchkey_conformance(type, protocol, &witnesses)
    ? witnesses : __real_swift_conformsToProtocolCommon(type, protocol);
}

const void *__wrap_swift_conformsToProtocolWithExecutionContext(const void *type, const void *protocol, void *context) {
  const void *witnesses;
  return latchkey_conformance(type, protocol, &witnesses)
    ? witnesses : __real_swift_conformsToProtocolWithExecutionContext(type, protocol, context);
}

// Finds conformances of types to protocols in a table, instead of in all records of the program.
//
// At the first cast of a type to a protocol, Swift's runtime goes through all of the program's
// records of conformances, more than 14,000 of them. The start of a node has more than 60 such
// casts, most of them in swift-argument-parser and swift-nio, and they took a third of its
// instructions. So `Tools/Package/release-options` has the linker call the functions below in the
// place of the runtime's. They answer from a table that the first of them makes, and ask the
// runtime whenever the answer could depend on anything but one record. All Swift code of such a
// program is linked into it, so the program's own records are all there are.
// `latchkey-bench conformances` compares the table with the runtime.
//
// The layout of records and descriptors is the one of Swift's ABI (swift/ABI/Metadata.h and
// MetadataValues.h in the compiler's repository).

#include "static.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

// The numbers but `flags` are distances from their own address; 0 stands for no pointer.
struct conformance {
  int32_t protocol, type, witnesses;
  uint32_t flags;
};

struct type_descriptor {
  uint32_t flags;
  int32_t parent, name, metadata, fields;
  // Of a class, the mangled name of its superclass; of others, something else.
  int32_t superclass;
};

// What follows the descriptor of a struct or an enum that is generic.
struct generic_type_descriptor {
  struct type_descriptor type;
  int32_t last_field, cache, pattern;
  uint16_t parameters, requirements, key_arguments, flags;
  // One for each parameter.
  uint8_t kinds[];
};

// Flags of a descriptor.
enum { DESCRIPTOR_KIND = 0x1f, CLASS_DESCRIPTOR = 16, IS_UNIQUE = 1 << 6, IS_GENERIC = 1 << 7 };
// Also one: there are types of this kind that cannot be copied, or that cannot escape.
enum { HAS_INVERTED_PROTOCOLS = 1 << 5 };
// The kind of a parameter that is a type, and is given when the generic type is used.
enum { TYPE_PARAMETER = 0x80 };
// Kinds of a type's metadata.
enum { CLASS = 0, STRUCT = 0x200, ENUM = 0x201, OPTIONAL = 0x202 };
// How a conformance refers to its type.
enum { DIRECT = 0, INDIRECT = 1 };
// Flags of a conformance that do not change for which types it holds. With any other flag, it can
// have conditions, be isolated to an actor, or be in several modules.
enum { TYPE_KIND = 7 << 3, IS_RETROACTIVE = 1 << 6, IS_RESILIENT = 1 << 16, HAS_GENERIC_WITNESSES = 1 << 17 };

// Each place has the number of a record plus one, or 0. A record is at the hash of its type and
// protocol, or in the first free place after it. At most three quarters of the places are used.
enum { MOST_PLACES = 1 << 15 };
static uint16_t table[MOST_PLACES];
// The number of places, a power of two; 0 if the program has too many records.
static size_t places;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_ready;

// The linker's names for the program's list.
extern const int32_t __start_swift5_protocol_conformances[] __attribute__((visibility("hidden")));
extern const int32_t __stop_swift5_protocol_conformances[] __attribute__((visibility("hidden")));

extern const void *swift_getWitnessTable(const struct conformance *, const void *type, const void *const *arguments);

static size_t count(void) {
  return (size_t)(__stop_swift5_protocol_conformances - __start_swift5_protocol_conformances);
}

static const void *target(const int32_t *distance) {
  return *distance == 0 ? NULL : (const char *)distance + *distance;
}

static const struct conformance *record(size_t index) {
  return target(&__start_swift5_protocol_conformances[index]);
}

// An odd distance leads to a pointer.
static const void *protocol_of(const struct conformance *conformance) {
  int32_t distance = conformance->protocol;
  const char *base = (const char *)&conformance->protocol;
  return distance & 1 ? *(const void *const *)(base + (distance & ~1)) : base + distance;
}

static const void *type_of(const struct conformance *conformance) {
  const void *type = target(&conformance->type);
  switch ((conformance->flags & TYPE_KIND) >> 3) {
    case DIRECT: return type;
    case INDIRECT: return type == NULL ? NULL : *(const void *const *)type;
    default: return NULL;
  }
}

static size_t place(const void *type, const void *protocol) {
  uint64_t key = (uint64_t)(uintptr_t)type * 31 + (uint64_t)(uintptr_t)protocol;
  return key * 0x9e3779b97f4a7c15u >> 32 & (places - 1);
}

static void make(void) {
  size_t needed = 1;
  while (needed * 3 < count() * 4) needed *= 2;
  if (needed <= MOST_PLACES) places = needed;
  for (size_t index = 0; places != 0 && index < count(); index += 1) {
    size_t at = place(type_of(record(index)), protocol_of(record(index)));
    while (table[at] != 0) at = (at + 1) & (places - 1);
    table[at] = (uint16_t)(index + 1);
  }
  atomic_store_explicit(&is_ready, true, memory_order_release);
}

// Returns the descriptor of a type of which there is one descriptor in the program, or NULL.
static const struct type_descriptor *descriptor_of(const void *type) {
  const uintptr_t *words = type;
  const struct type_descriptor *descriptor = NULL;
  switch (words[0]) {
    case STRUCT: case ENUM: case OPTIONAL: descriptor = (const void *)words[1]; break;
    case CLASS: descriptor = (const void *)words[5]; break;
    default: break;
  }
  return descriptor != NULL && descriptor->flags & IS_UNIQUE ? descriptor : NULL;
}

// Tells whether all arguments of a generic struct or enum can be copied and can escape, whatever
// their own arguments are.
static bool has_plain_arguments(const void *type, const struct type_descriptor *descriptor) {
  const uintptr_t *words = type;
  if (words[0] == CLASS) return false;
  const struct generic_type_descriptor *generic = (const void *)descriptor;
  for (size_t index = 0; index < generic->parameters; index += 1) {
    if (generic->kinds[index] != TYPE_PARAMETER) return false;
    const uintptr_t *argument = (const void *)words[2 + index];
    // An optional value can be copied if its content can.
    while (argument[0] == OPTIONAL) argument = (const void *)argument[2];
    const struct type_descriptor *plain = descriptor_of(argument);
    if (plain == NULL || plain->flags & HAS_INVERTED_PROTOCOLS) return false;
  }
  return true;
}

bool latchkey_conformance(const void *type, const void *protocol, const void **witnesses) {
  const struct type_descriptor *descriptor = descriptor_of(type);
  if (descriptor == NULL) return false;
  if (!atomic_load_explicit(&is_ready, memory_order_acquire)) pthread_once(&once, make);
  if (places == 0) return false;

  const struct conformance *found = NULL;
  for (size_t at = place(descriptor, protocol); table[at] != 0; at = (at + 1) & (places - 1)) {
    const struct conformance *conformance = record(table[at] - 1u);
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
  // A conformance of a generic type holds for arguments that can be copied and can escape, unless it
  // says otherwise.
  if (descriptor->flags & IS_GENERIC && !has_plain_arguments(type, descriptor)) return false;
  if (found->flags & ~(uint32_t)(TYPE_KIND | IS_RETROACTIVE | IS_RESILIENT | HAS_GENERIC_WITNESSES)) return false;
  *witnesses = swift_getWitnessTable(found, type, NULL);
  return true;
}

// The runtime's functions. They exist only in a program that is linked with the options for release.
extern const void *__real_swift_conformsToProtocol(const void *, const void *) __attribute__((weak));
extern const void *__real_swift_conformsToProtocolCommon(const void *, const void *) __attribute__((weak));
extern const void *__real_swift_conformsToProtocolWithExecutionContext(const void *, const void *, void *)
  __attribute__((weak));

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

bool latchkey_conformance_at(size_t index, const void **type, const void **protocol) {
  if (index >= count()) return false;
  const struct type_descriptor *descriptor = type_of(record(index));
  *protocol = protocol_of(record(index));
  *type = NULL;
  // A protocol can be what conforms; it has no function for metadata.
  if (descriptor == NULL || (descriptor->flags & DESCRIPTOR_KIND) < CLASS_DESCRIPTOR) return true;
  if (descriptor->flags & IS_GENERIC || descriptor->metadata == 0) return true;
  // It is asked for complete metadata (0). It returns that and its state in two registers, as a
  // function of C with this result does.
  struct response { const void *type; size_t state; } (*metadata)(size_t) = (void *)target(&descriptor->metadata);
  *type = metadata(0).type;
  return true;
}

bool latchkey_runtime_conformance(const void *type, const void *protocol, const void **witnesses) {
  if (__real_swift_conformsToProtocolCommon == NULL) return false;
  *witnesses = __real_swift_conformsToProtocolCommon(type, protocol);
  return true;
}

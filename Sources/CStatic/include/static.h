// What takes the place of parts of Swift's static libraries and of the loader.

#ifndef LATCHKEY_STATIC_H
#define LATCHKEY_STATIC_H

#include <stdbool.h>
#include <stddef.h>

struct dispatch_queue_global_s;

// A thread begins to work for a global queue.
void _dispatch_workq_worker_register(struct dispatch_queue_global_s *queue);
// A thread ends, since nothing came for 5 s.
void _dispatch_workq_worker_unregister(struct dispatch_queue_global_s *queue);

// Applies the table of relocations that the loader ignores; see relocate.c.
void latchkey_relocate(void);

// Looks up how a type of the program conforms to one of its protocols; see conformances.c. Returns
// false if only Swift's runtime can tell. `*witnesses` is NULL if the type does not conform.
bool latchkey_conformance(const void *type, const void *protocol, const void **witnesses);

// Returns the type and the protocol of a conformance of the program, to compare the table with the
// runtime. `*type` is NULL unless the type is declared in Swift and is not generic. The result is
// false if there are fewer conformances.
bool latchkey_conformance_at(size_t index, const void **type, const void **protocol);
// Asks the runtime itself. Returns false in a program that is not linked with the options for
// release.
bool latchkey_runtime_conformance(const void *type, const void *protocol, const void **witnesses);

#endif

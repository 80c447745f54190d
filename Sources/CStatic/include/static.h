// What takes the place of parts of Swift's static libraries and of the loader.

#ifndef LATCHKEY_STATIC_H
#define LATCHKEY_STATIC_H

struct dispatch_queue_global_s;

// A thread begins to work for a global queue.
void _dispatch_workq_worker_register(struct dispatch_queue_global_s *queue);
// A thread ends, since nothing came for 5 s.
void _dispatch_workq_worker_unregister(struct dispatch_queue_global_s *queue);

// Applies the table of relocations that the loader ignores; see relocate.c.
void latchkey_relocate(void);

#endif

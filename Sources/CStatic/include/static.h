// The functions of libdispatch that threads.c takes the place of.

#ifndef LATCHKEY_STATIC_H
#define LATCHKEY_STATIC_H

struct dispatch_queue_global_s;

// A thread begins to work for a global queue.
void _dispatch_workq_worker_register(struct dispatch_queue_global_s *queue);
// A thread ends, since nothing came for 5 s.
void _dispatch_workq_worker_unregister(struct dispatch_queue_global_s *queue);

#endif

// Takes the place of libdispatch's watch over its threads, its file `workqueue.c`, in programs that
// are linked with the static libraries of Swift.
//
// From the first thread on, that watch wakes the process once a second for as long as it lives,
// also if nothing happens. It counts the threads that can run, and starts more of them if all are
// blocked. Nothing here needs that: what blocks runs on a queue or a thread of its own. These two
// functions are all that the library calls of that file, which the linker then leaves out.
// `Tools/package` checks that. A program with shared libraries, as for debugging, keeps the watch.

#include "static.h"

void _dispatch_workq_worker_register(struct dispatch_queue_global_s *queue) { (void)queue; }

void _dispatch_workq_worker_unregister(struct dispatch_queue_global_s *queue) { (void)queue; }

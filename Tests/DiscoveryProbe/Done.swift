import Glibc

/// A signal by which a thread waits for a task.
final class Done: @unchecked Sendable {
  // Unchecked: a POSIX semaphore is made to be used from several threads.
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Wakes the waiting thread.
  func signal() {
    sem_post(semaphore)
  }

  /// Waits for `signal`.
  func wait() {
    while sem_wait(semaphore) != 0 {}
  }
}

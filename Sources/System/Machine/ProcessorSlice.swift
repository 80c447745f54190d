import CProcess

/// The slices of time into which the kernel divides a processor.
///
/// Since Linux 6.12, a thread that wakes up waits until the running thread has used up its slice,
/// unless its own slices are shorter. Priorities do not matter. Earlier kernels accept the request
/// and ignore it.
public enum ProcessorSlice {
  /// The shortest slice that the kernel gives, in nanoseconds.
  public static let shortest: UInt64 = 100_000

  /// Requests the shortest slices for the thread with a number, or for the calling thread; returns
  /// whether the kernel accepts the request.
  public static func requestShortest(for thread: Int32 = 0) -> Bool { latchkey_request_slice(thread, shortest) == 0 }
}

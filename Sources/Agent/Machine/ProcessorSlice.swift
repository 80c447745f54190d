import CProcess

/// The slices of time in which the kernel shares out a processor.
///
/// Since Linux 6.12, a thread that wakes up waits until the one that runs has used its slice, whatever their priorities are, unless
/// its own slices are shorter. Earlier kernels take the request and ignore it.
public enum ProcessorSlice {
  /// The shortest slice that the kernel gives, in nanoseconds.
  public static let shortest: UInt64 = 100_000

  /// Asks for the shortest slices for a thread, by its number, or for the calling one; returns whether the kernel takes the request.
  public static func requestShortest(for thread: Int32 = 0) -> Bool { latchkey_request_slice(thread, shortest) == 0 }
}

import Glibc
import Synchronization

/// The file descriptors above standard error that this process inherited, such as that of a shell's
/// `3<file`.
public enum InheritedDescriptors {
  private static let noted = Mutex<[Int32]>([])

  /// Records which descriptors are inherited.
  ///
  /// Call this before anything else in the process, since every descriptor that is opened later
  /// belongs to the process itself. Without this call, no descriptor counts as inherited.
  public static func note() {
    guard let folder = opendir("/proc/self/fd") else { return }
    defer { closedir(folder) }
    var found: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
      // Inherited descriptors lack this flag. Those that the runtime has opened since have it.
      let flags = fcntl(descriptor, F_GETFD)
      if flags >= 0, flags & FD_CLOEXEC == 0 { found.append(descriptor) }
    }
    found.sort()
    noted.withLock { $0 = found }
  }

  static var all: [Int32] { noted.withLock { $0 } }
}

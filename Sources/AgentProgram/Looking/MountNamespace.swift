import LatchkeySystem

/// The mount namespaces of processes, which show whether a process is in a sandbox.
///
/// Spec: Protocol/13-agent.md §8.
enum MountNamespace {
  /// The namespaces of programs outside any sandbox: that of the system's first process, and the
  /// agent's own, which its service manager creates.
  private static let usual = Set(["/proc/1/ns/mnt", "/proc/self/ns/mnt"].compactMap { ProcFile.link($0) })

  /// Returns whether a process, given its folder in /proc, may see other files than the machine's.
  static func isOther(in folder: String) -> Bool {
    ProcFile.link("\(folder)/ns/mnt").map { !usual.contains($0) } ?? false
  }
}

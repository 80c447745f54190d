/// `avahi-browse -r`: from its start until it has resolved the one announced invitation.
struct AvahiBrowse {
  let folder: String

  /// Microseconds until the line with the open code has come. What was announced before it may come first; then it is
  /// asked again, and that counts, too.
  func resolve() throws -> Int64 {
    let began = Durations.now()
    for _ in 0..<100 {
      let browse = try ToolProcess(
        "/usr/bin/avahi-browse", ["--resolve", "--parsable", "--terminate", "_latchkey._tcp"], folder: folder)
      let isFound = browse.read { text in
        text.split(separator: "\n").contains { $0.hasPrefix("=") && $0.contains("\"d=") }
      }
      let ended = Durations.now()
      if isFound {
        browse.stop()
        return ended - began
      }
      browse.finish()
    }
    throw BenchFault("avahi-browse does not find the invitation.")
  }

  /// Microseconds that its process takes to start and end.
  func start() throws -> Int64 {
    let began = Durations.now()
    try ToolProcess("/usr/bin/avahi-browse", ["--version"], folder: folder).finish()
    return Durations.now() - began
  }
}

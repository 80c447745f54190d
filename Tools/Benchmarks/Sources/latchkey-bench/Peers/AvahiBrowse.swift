/// `avahi-browse -r`: from its start until it has resolved the one announced invitation.
struct AvahiBrowse {
  let folder: String

  /// Microseconds until the line with the open code of the node that listens on `port` has come.
  ///
  /// What that node announced before may come first, and a line comes once: then it is started again at once, and that
  /// counts, too.
  func resolve(port: Substring) throws -> Int64 {
    let began = Durations.now()
    for _ in 0..<1_000 {
      let browse = try ToolProcess(
        "/usr/bin/avahi-browse", ["--resolve", "--parsable", "_latchkey._tcp"], folder: folder, onTerminal: true)
      var line: Substring?
      _ = browse.read { text in
        // What has no end yet is no line.
        line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropLast().first {
          $0.hasPrefix("=") && $0.contains(";\(port);")
        }
        return line != nil
      }
      let ended = Durations.now()
      browse.stop()
      if line?.contains("\"d=") == true { return ended - began }
    }
    throw BenchFault("avahi-browse does not find the invitation.")
  }

  /// Microseconds that its process takes to start and end.
  func start() throws -> Int64 {
    let began = Durations.now()
    let browse = try ToolProcess("/usr/bin/avahi-browse", ["--version"], folder: folder)
    _ = browse.read { _ in false }
    let ended = Durations.now()
    browse.finish()
    return ended - began
  }
}

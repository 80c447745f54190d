/// The program `avahi-browse -r`, from its start until it has resolved the one announced
/// invitation.
struct AvahiBrowse {
  let folder: String

  /// Returns the microseconds until it prints the open code of the node that listens on `port`.
  ///
  /// An earlier announcement of that node may come first, and each line comes once. In that case,
  /// the program is started again at once, and that time counts as well.
  func resolve(port: Substring) throws -> Int64 {
    let began = Durations.now()
    for _ in 0..<1_000 {
      let browse = try ToolProcess(
        "/usr/bin/avahi-browse", ["--resolve", "--parsable", "_latchkey._tcp"], folder: folder, onTerminal: true)
      var line: Substring?
      _ = browse.read { text in
        // Text without an end is not a line yet.
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

  /// Returns the microseconds that its process takes to start and end.
  func start() throws -> Int64 {
    let began = Durations.now()
    let browse = try ToolProcess("/usr/bin/avahi-browse", ["--version"], folder: folder)
    _ = browse.read { _ in false }
    let ended = Durations.now()
    browse.finish()
    return ended - began
  }
}

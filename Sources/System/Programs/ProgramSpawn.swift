import Glibc

/// The start of a program by `posix_spawn`, as a child of this process.
///
/// Threads of this process block signals, and network code ignores SIGPIPE. The program inherits
/// neither.
package struct ProgramSpawn {
  let path: String
  /// The arguments, beginning with the program's name.
  let arguments: [String]
  /// All environment variables; `nil` for those of this process.
  var variables: [String: String]?
  /// A Boolean value that indicates whether the program ignores the signals that the caller of this
  /// process ignored, as if its shell had started it.
  var keepsIgnored = false
  /// A Boolean value that indicates whether the program gets its own session, so that it does not
  /// receive what a terminal sends to this process.
  var hasOwnSession = false

  /// `POSIX_SPAWN_SETSID`, which the header declares only to programs that ask for more than POSIX.
  private static let newSession: Int16 = 0x80

  /// Starts the program.
  ///
  /// - Parameter open: Adds the actions for the program's descriptors.
  /// - Returns: The program's process number.
  /// - Throws: `ProgramStartError` if the system does not run it.
  func start(_ open: (inout posix_spawn_file_actions_t) -> Void) throws(ProgramStartError) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    if keepsIgnored { sigaddset(&signals, SIGPIPE) } else { sigfillset(&signals) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, flags | (hasOwnSession ? Self.newSession : 0))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    open(&actions)
    let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let surroundings: [UnsafeMutablePointer<CChar>?] =
      (variables ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + surroundings { free(word) } }
    // A shell that ignores the ends of its children passes this on. The end of a child would then
    // not be reported.
    signal(SIGCHLD, SIG_DFL)
    var pid: pid_t = 0
    let code =
      variables == nil
      ? posix_spawn(&pid, path, &actions, &attributes, words, environ)
      : posix_spawn(&pid, path, &actions, &attributes, words, surroundings)
    switch code {
    case 0: return pid
    case EAGAIN, ENOMEM, EMFILE, ENFILE: throw .system(call: "posix_spawn", errno: code)
    default: throw .notExecutable(path, errno: code)
    }
  }

  /// Starts a program that does nothing, waits for its end, and returns its number.
  package static func probe() -> Int32? {
    guard let pid = try? ProgramSpawn(path: "/bin/true", arguments: ["true"], variables: [:]).start({ _ in }) else {
      return nil
    }
    _ = reap(pid)
    return pid
  }

  /// Waits for the end of a child, after which its number is no longer its own.
  static func reap(_ pid: pid_t) -> ProgramExit {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return ProgramExit(waitStatus: status)
  }
}

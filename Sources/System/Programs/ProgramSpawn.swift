import Glibc

/// The start of a program by `posix_spawn`, as a child of this process.
///
/// The program does not inherit that this process blocks signals and ignores SIGPIPE.
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

  /// Starts the program, and returns its number; `open` adds the actions for its descriptors.
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
    // A shell that ignores the ends of its children passes this on, and hides them.
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

/// The search for a program's file, by the rules of execvp.
enum ProgramLookup {
  /// The C library's default if there is no PATH.
  private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

  /// Returns the path to run.
  ///
  /// Throws `notFound`, or `notExecutable` if a file with that name may not be run.
  ///
  /// - `name`: A path if it contains a slash; otherwise a name to look for.
  /// - `path`: The value of PATH, in which an empty part denotes the current folder.
  static func file(of name: String, path: String?) throws(ProgramStartError) -> String {
    guard !name.isEmpty else { throw .notFound(name) }
    let candidates: [String]
    if name.contains("/") {
      candidates = [name]
    } else {
      candidates = (path ?? usualPath).split(separator: ":", omittingEmptySubsequences: false).map {
        $0.isEmpty ? "./\(name)" : "\($0)/\(name)"
      }
    }
    var refused: ProgramStartError?
    for candidate in candidates {
      var status = stat()
      guard stat(candidate, &status) == 0 else {
        // A folder in the PATH that this user may not search is skipped, as in shells.
        if errno == EACCES, name.contains("/") { refused = .notExecutable(candidate, errno: EACCES) }
        continue
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        // A folder with that name in the PATH is skipped, as in shells.
        if name.contains("/") {
          refused = .notExecutable(candidate, errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EACCES)
        }
        continue
      }
      if access(candidate, X_OK) == 0 { return candidate }
      refused = refused ?? .notExecutable(candidate, errno: errno)
    }
    throw refused ?? .notFound(name)
  }
}

/// The reason why a program could not be started, with the next step in each description.
public enum ProgramStartError: Error, Hashable, Sendable, CustomStringConvertible {
  case nothingToRun
  /// Neither the path nor the PATH leads to the program.
  case notFound(String)
  /// The file exists, but the system does not run it.
  case notExecutable(String, errno: Int32)
  /// The system refused an operation that every program needs.
  case system(call: String, errno: Int32)

  /// The corresponding exit status: 127 and 126 as in shells; otherwise one of sysexits(3).
  public var exitStatus: Int32 {
    switch self {
    case .nothingToRun: 64
    case .notFound: 127
    case .notExecutable: 126
    case .system: 71
    }
  }

  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .nothingToRun: "No program was named: write it with its arguments after `--`."
    case .notFound(let name): "There is no program \(name.debugDescription): check the spelling, or give its full path."
    case .notExecutable(let path, let code):
      "\(path.debugDescription) cannot be run (\(SystemError.reason(code))): make it executable, or name another program."
    case .system(let call, let code):
      "The system could not start the program (\(call): \(SystemError.reason(code))): close other programs and try again."
    }
  }
}

/// The errors that the system's calls report by number.
public enum SystemError {
  /// Returns the system's description of an error number.
  public static func reason(_ code: Int32 = errno) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

import Glibc

/// The reason why a program could not be started.
///
/// Each description says what to do next.
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
    case .notFound(let name):
      "There is no program \(name.debugDescription): check the spelling, or give its full path."
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

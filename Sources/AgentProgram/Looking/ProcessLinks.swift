import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The targets of links in `/proc` that the arguments of a process lead through, each read once.
///
/// Spec: Protocol/13-agent.md §8.
struct ProcessLinks {
  /// The most links that are read for one process.
  private static let most = 64

  /// The process's folder in `/proc`.
  private let own: String
  private var known: [String: ScriptInterpreters.LinkTarget] = [:]

  /// Creates the links for a process with a folder in `/proc`.
  init(of folder: String) { own = folder }

  /// The path of its folder; `nil` if it is not known.
  var folder: String? {
    mutating get { if case .path(let path) = target(of: "self/cwd") { path } else { nil } }
  }

  /// Returns the target of a link such as `self/cwd` or `123/fd/7`.
  ///
  /// Of other processes, only those of the same account are read; otherwise the number is taken for
  /// its own, as in a process namespace.
  mutating func target(of name: String) -> ScriptInterpreters.LinkTarget {
    if let target = known[name] { return target }
    guard known.count < Self.most else { return .tooLong }
    let target = read(name)
    known[name] = target
    return target
  }

  private func read(_ name: String) -> ScriptInterpreters.LinkTarget {
    guard let slash = name.firstIndex(of: "/") else { return .none }
    let (process, rest) = ("/proc/\(name[..<slash])", name[slash...])
    if process != "/proc/self", process != own, let owner = ProcFile.knownStatus(process)?.st_uid, owner != 0,
      owner == ProcFile.knownStatus(own)?.st_uid
    {
      let target = Self.target("\(process)\(rest)")
      if target != .none { return target }
    }
    return Self.target("\(own)\(rest)")
  }

  private static func target(_ path: String) -> ScriptInterpreters.LinkTarget {
    if let path = ProcFile.link(path) { return .path(path) }
    return errno == ENAMETOOLONG ? .tooLong : .none
  }
}

/// Where the paths lead that arguments name, also through the links of processes in `/proc`.
///
/// No file that a path names is looked at, and links are followed only below `/proc` and `/dev`.
/// Spec: Protocol/13-agent.md §8.
extension ScriptInterpreters {
  public enum LinkTarget: Hashable, Sendable {
    case path(String)
    /// The path is longer than the kernel reports.
    case tooLong
    /// There is no such link, or the process has ended.
    case none
  }

  /// Where a path leads.
  enum Place: Hashable, Sendable {
    /// An absolute path without `.` and `..`, and whether a descriptor is on the way to it.
    case path(String, hasDescriptor: Bool)
    /// It may be a file whose absolute path is not known.
    case unknown
    /// It names no file.
    case none
  }

  /// The room for the absolute paths of one process, in bytes, and for a path.
  private static let (placeBytes, pathBytes) = (16_384, 4_096)
  /// The longest part of a path on any file system, in bytes.
  private static let partBytes = 1_024
  /// The most links of processes that one path may lead through.
  private static let mostLinks = 8

  /// Returns whether an argument may be the path of a file that has another absolute path as well:
  /// a relative one, one with `.`, `..` or an empty part in it, or one below `/proc` or `/dev`.
  public static func isUnresolved(_ argument: String) -> Bool {
    guard !argument.isEmpty, !argument.hasPrefix("-") else { return false }
    guard argument.hasPrefix("/"), argument != "/" else { return argument != "/" }
    let parts = argument.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    return parts.contains { [".", "..", ""].contains($0) } || ["proc", "dev"].contains(parts.first)
  }

  /// Returns where a path leads that an argument names in a folder.
  ///
  /// `link` returns the target of a link of a process: `self/cwd`, `123/root` or `self/fd/7`.
  static func follow(_ path: String, from folder: LinkTarget, link: (String) -> LinkTarget) -> Place {
    var parts: [Substring] = []
    if !path.hasPrefix("/") {
      switch folder {
      case .path(let start) where start.hasPrefix("/"): parts = start.split(separator: "/")
      case .path, .tooLong: return unknown(path)
      case .none: return .none
      }
    }
    var (hasDescriptor, links) = (false, 0)
    for part in path.split(separator: "/") where part != "." {
      guard part != ".." else {
        _ = parts.popLast()
        continue
      }
      parts.append(part)
      if parts.count <= 2 { parts = otherName(of: parts) }
      guard let name = linkName(parts) else { continue }
      links += 1
      guard links <= mostLinks else { return unknown(path) }
      switch link(name) {
      case .path(let target):
        guard target.hasPrefix("/") else { return .none }
        parts = target.split(separator: "/")
      case .tooLong: return unknown(path)
      case .none: return .none
      }
      hasDescriptor = hasDescriptor || name.contains("/fd/")
    }
    let place = "/" + parts.joined(separator: "/")
    guard place.utf8.count <= pathBytes else { return unknown(path) }
    // What is open on a device is no script.
    return hasDescriptor && place.hasPrefix("/dev/") ? .none : .path(place, hasDescriptor: hasDescriptor)
  }

  /// Returns that it is unknown where a text leads, unless it is too long for a path.
  private static func unknown(_ path: String) -> Place {
    let isPath = path.utf8.count < pathBytes && path.split(separator: "/").allSatisfy { $0.utf8.count <= partBytes }
    return isPath ? .unknown : .none
  }

  /// Returns the path in `/proc` to which a link of the system leads; otherwise the same path.
  private static func otherName(of parts: [Substring]) -> [Substring] {
    switch parts {
    case ["dev", "fd"]: ["proc", "self", "fd"]
    case ["dev", "stdin"]: ["proc", "self", "fd", "0"]
    case ["dev", "stdout"]: ["proc", "self", "fd", "1"]
    case ["dev", "stderr"]: ["proc", "self", "fd", "2"]
    case ["proc", "thread-self"]: ["proc", "self", "task", "self"]
    case ["proc", "net"], ["proc", "mounts"]: ["proc", "self", parts[1]]
    default: parts
    }
  }

  /// Returns the name of the link of a process that a path below `/proc` is; `nil` for none.
  private static func linkName(_ parts: [Substring]) -> String? {
    guard parts.count >= 3, parts.count <= 6, parts[0] == "proc", parts[1] == "self" || isNumber(parts[1]) else {
      return nil
    }
    let rest = parts.dropFirst(parts[2] == "task" ? 4 : 2)
    let isDescriptor = rest.count == 2 && rest.first == "fd" && rest.last.map(isNumber) == true
    guard isDescriptor || rest == ["cwd"] || rest == ["root"] else { return nil }
    return "\(parts[1])/" + rest.joined(separator: "/")
  }

  private static func isNumber(_ text: Substring) -> Bool {
    text.utf8.count <= 10 && !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns the absolute path, without `.` and `..`, of a file that is named in a folder; `nil` if
  /// it is not known or too long.
  ///
  /// `link` returns the target of a link in `/proc`, or none.
  public static func place(
    of path: String, from folder: String?, link: (String) -> LinkTarget = { _ in .none }
  ) -> String? {
    let folder = folder.map(LinkTarget.path) ?? .none
    guard case .path(let place, _) = follow(path, from: folder, link: link) else { return nil }
    return place
  }

  /// Returns the absolute paths of what arguments name, and whether some are left out or unknown.
  ///
  /// `inside` is what `filesInside` returns for them. If there is no room for it, it is left out.
  public static func places(
    in arguments: [String], inside: [String] = [], link: (String) -> LinkTarget
  ) -> (paths: [String], isCut: Bool) {
    let folder = link("self/cwd")
    var (paths, bytes, isCut): ([String], Int, Bool) = ([], 0, false)
    for (index, argument) in (arguments + inside).enumerated() where isUnresolved(argument) {
      switch follow(argument, from: folder, link: link) {
      case .path(let place, _):
        guard place != argument, !paths.contains(place) else { continue }
        bytes += place.utf8.count
        guard bytes <= placeBytes else { return (paths, isCut || index < arguments.count) }
        paths.append(place)
      case .unknown: isCut = true
      case .none: continue
      }
    }
    return (paths, isCut)
  }

  /// Returns the absolute path to which an argument leads through a descriptor; `nil` for none.
  public static func open(_ argument: String, link: (String) -> LinkTarget) -> String? {
    guard isUnresolved(argument) else { return nil }
    let place = follow(argument, from: link("self/cwd"), link: link)
    guard case .path(let path, hasDescriptor: true) = place else { return nil }
    return path
  }
}

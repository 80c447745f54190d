import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The files that the arguments of an interpreter or a shell name by relative paths, and those that
/// it has open for itself.
///
/// The loader counts as the program that it runs.
///
/// They are read once, since a process may leave its folder after it was first seen. Spec:
/// Protocol/13-agent.md §8.
struct ScriptPlaces: Hashable {
  /// The absolute paths that count as arguments.
  var paths: [String] = []
  /// The absolute path of the script that it runs, if its arguments name it by a relative path.
  var script: String?
  /// The absolute path of the script that it runs for certain; `nil` if it may run anything else.
  var certain: String?
  /// A Boolean value that indicates whether there was no room for some of the paths.
  var isCut = false

  /// The descriptors under which shells keep the script open that they run.
  private static let shellDescriptors = [10, 11, 255]

  /// Creates the places of a program without any.
  init() {}

  /// Reads the places for a process with a folder in `/proc` and the name of its executable.
  ///
  /// Only links in `/proc` are read, and none of the files that they name.
  init(in folder: String, of executable: some StringProtocol, _ arguments: ArgumentReader.Arguments) {
    guard ScriptInterpreters.mayShowScript(executable) || arguments.isLoader else { return }
    let name = arguments.loaded ?? String(executable)
    let isShell = NeededPrograms.isShell(name)
    // A text that a shell runs is no path.
    let isText =
      isShell && !arguments.isLoader && ScriptInterpreters.file(in: arguments.afterFirst, of: name) == nil
      && !arguments.isUndecided(of: name)
    if !isText { readNamed(in: folder, of: name, isShell: isShell, arguments) }
    readOpen(in: folder, isShell: isShell, arguments)
  }

  private mutating func readNamed(
    in folder: String, of name: String, isShell: Bool, _ arguments: ArgumentReader.Arguments
  ) {
    isCut = arguments.isLaterCut
    let named = ScriptInterpreters.certainFile(in: arguments.afterFirst, of: name)
    let candidates = arguments.afterFirst + arguments.later
    let inside = ScriptInterpreters.filesInside(arguments.afterFirst, of: arguments.isLoader ? "python" : name)
    guard (candidates + inside).contains(where: ScriptInterpreters.isUnresolved) else {
      certain = named.flatMap { ScriptInterpreters.certainPlace(of: $0, from: nil) }
      return
    }
    var links = ProcessLinks(of: folder)
    let cwd = links.folder
    certain = named.flatMap { ScriptInterpreters.certainPlace(of: $0, from: cwd) }
    let unresolved = named.flatMap { ScriptInterpreters.isUnresolved($0) ? $0 : nil }
    let found = ScriptInterpreters.places(in: candidates, inside: inside) { links.target(of: $0) }
    (paths, isCut) = (found.paths, isCut || found.isCut)
    script = unresolved.flatMap { ScriptInterpreters.place(of: $0, from: cwd) { links.target(of: $0) } }
    guard isShell || arguments.isLoader else { return }
    // A script often begins with a change of its folder, and the shell goes on to read the file.
    for descriptor in Self.shellDescriptors {
      guard let open = ProcFile.link("\(folder)/fd/\(descriptor)"), ScriptInterpreters.isNamed(open, in: candidates)
      else { continue }
      if !paths.contains(open) { paths.append(open) }
      guard let unresolved, ScriptInterpreters.isNamed(open, in: [unresolved]) else { continue }
      script = open
      // Either it has left its folder, or what started it has left this file open for it.
      if open != certain { certain = nil }
    }
  }

  /// Adds the files that are open as the input, or to which an argument leads by a descriptor.
  ///
  /// A shell moves its input away for a command that has another one.
  private mutating func readOpen(in folder: String, isShell: Bool, _ arguments: ArgumentReader.Arguments) {
    var links = ProcessLinks(of: folder)
    var found = arguments.afterFirst.compactMap { argument in ScriptInterpreters.open(argument) { links.target(of: $0) }
    }
    found += ([0] + (isShell ? Self.shellDescriptors : [])).compactMap { ProcFile.link("\(folder)/fd/\($0)") }
    for open in found where open.hasPrefix("/") && !open.hasPrefix("/dev/") {
      guard !paths.contains(open), !arguments.afterFirst.contains(open) else { continue }
      paths.append(open)
    }
  }

  /// Returns these and the places of the process that it may be a copy of; of two scripts, its own,
  /// but for certain only if both are the same.
  func union(_ other: ScriptPlaces?) -> ScriptPlaces {
    guard let other, other != self else { return self }
    var all = self
    all.paths += other.paths.filter { !paths.contains($0) }
    all.isCut = isCut || other.isCut
    if other.certain != certain { all.certain = nil }
    return all
  }
}

extension ArgumentReader.Arguments {
  /// Returns whether those that are kept separately do not show what is run, and there are more.
  func isUndecided(of name: some StringProtocol) -> Bool {
    hasMore && ScriptInterpreters.isUndecided(afterFirst, of: name)
  }
}

/// The targets of links in `/proc` that the arguments of a process lead through, each read once
/// (Protocol/13-agent.md §8).
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

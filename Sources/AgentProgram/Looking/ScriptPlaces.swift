import LatchkeyAgentProtocol
import LatchkeySystem

/// The files that the arguments of an interpreter or a shell name by relative paths.
///
/// They are read once, when a process is first seen in its program, since it may leave its folder
/// later.
///
/// Spec: Protocol/13-agent.md §8.
struct ScriptPlaces: Hashable {
  /// The absolute paths that count as arguments.
  var paths: [String] = []
  /// The absolute path of the script, if the arguments name one by a relative path.
  var script: String?
  /// A Boolean value that indicates whether there was no room for some of the paths.
  var isCut = false

  /// The descriptors under which shells keep the script open that they run.
  private static let shellDescriptors = [10, 11, 255]

  /// Creates the places of a program without any.
  init() {}

  /// Reads the places for a process.
  ///
  /// Only links in `/proc` are read, and none of the files that they name.
  ///
  /// - Parameters:
  ///   - folder: The process's folder in `/proc`.
  ///   - name: The name of the executable.
  ///   - arguments: The arguments after the first.
  init(in folder: String, of name: some StringProtocol, _ arguments: [String]) {
    guard ScriptInterpreters.tellsScript(name), arguments.contains(where: ScriptInterpreters.isUnresolved) else {
      return
    }
    let file = ScriptInterpreters.file(in: arguments, of: name)
    // A text that a shell runs is no path.
    if file == nil, NeededPrograms.isShell(name) { return }
    if let link = ProcFile.link("\(folder)/cwd") {
      (paths, isCut) = ScriptInterpreters.places(in: arguments, from: link)
      script = file.flatMap {
        ScriptInterpreters.isUnresolved($0) ? ScriptInterpreters.place(of: $0, from: link) : nil
      }
    }
    guard NeededPrograms.isShell(name) else { return }
    // A script often begins with a change of its folder, and the shell goes on to read the file.
    for descriptor in Self.shellDescriptors {
      guard let open = ProcFile.link("\(folder)/fd/\(descriptor)"),
        ScriptInterpreters.isNamed(open, in: arguments), !paths.contains(open)
      else { continue }
      paths.append(open)
      script = open
    }
  }

  /// Returns these and other places; of two scripts, its own.
  func union(_ other: ScriptPlaces?) -> ScriptPlaces {
    guard let other, other != self else { return self }
    var all = self
    all.paths += other.paths.filter { !paths.contains($0) }
    all.isCut = isCut || other.isCut
    return all
  }
}

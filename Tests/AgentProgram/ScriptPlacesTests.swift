import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of scripts that are started by relative paths: Protocol/13-agent.md §8.
@Suite struct ScriptPlacesTests {
  private func script(_ name: String, _ text: String, in folder: Folder) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
  }

  /// Returns a shell that goes into a folder, and becomes a program there.
  private func start(_ line: String, in folder: Folder) throws -> RunningCat {
    try RunningCat(["/bin/sh", "-c", "cd \(folder.path) && exec \(line)"])
  }

  @Test("A script has the absolute path of the folder in which it was started among its arguments")
  func relative() throws {
    let folder = try Folder()
    try script("game.sh", "printf x\nread -r line\n", in: folder)
    let program = try start("/bin/sh ./game.sh", in: folder)
    var looker = ProcessLooker()
    let seen = try facts(of: program, &looker)
    #expect(seen.arguments == "/bin/sh ./game.sh \(folder.path)/game.sh")
    #expect(seen.scriptPlace == "\(folder.path)/game.sh" && seen.script == "")
    #expect(seen.certainScript == seen.scriptPlace)
    // A later look tells the same.
    #expect(try facts(of: program, &looker).arguments == seen.arguments)
  }

  @Test("A script that has left its folder is known by the file that its shell reads")
  func left() throws {
    let folder = try Folder()
    try script("game.sh", "cd /\nprintf x\nread -r line\n", in: folder)
    let program = try start("/bin/sh game.sh", in: folder)
    var looker = ProcessLooker()
    let seen = try facts(of: program, &looker)
    #expect(seen.arguments.hasSuffix(" \(folder.path)/game.sh") && seen.scriptPlace == "\(folder.path)/game.sh")
    #expect(seen.certainScript == nil, "What started it may have left that file open.")
  }

  @Test("A text that a shell runs names no file, and an absolute path stays as it is")
  func none() throws {
    let folder = try Folder()
    try script("game.sh", "printf x\nread -r line\n", in: folder)
    var looker = ProcessLooker()
    let text = try facts(of: RunningCat(["/bin/sh", "-c", "printf x; read -r line"]), &looker)
    #expect(text.arguments == "/bin/sh -c printf x; read -r line" && text.scriptPlace == nil)
    #expect(text.certainScript == nil)
    let absolute = try facts(of: RunningCat(["/bin/sh", folder.path + "/game.sh"]), &looker)
    #expect(absolute.arguments == "/bin/sh \(folder.path)/game.sh" && absolute.script == folder.path + "/game.sh")
    #expect(absolute.certainScript == absolute.script)
  }

  @Test("A script behind many options has its absolute path among its arguments, and is not certain")
  func manyOptions() throws {
    let folder = try Folder()
    try script("game.sh", "printf x\nread -r line\n", in: folder)
    var looker = ProcessLooker()
    for (options, isCertain) in [("-e -u", true), (String(repeating: "-e ", count: 20), false)] {
      let seen = try facts(of: start("/bin/sh \(options) ./game.sh", in: folder), &looker)
      #expect(seen.arguments.hasSuffix(" \(folder.path)/game.sh"))
      #expect(seen.script == "" && (seen.certainScript != nil) == isCertain)
    }
    // More values of options than are kept hide nothing either: every pattern matches.
    let values = (0..<100).map { "-X v\($0)" }.joined(separator: " ")
    let hidden = ScriptPlaces(in: "/proc/self", of: "python3", divided(["python3", values, "./game.py"]))
    #expect(hidden.isCut && hidden.certain == nil)
  }

  /// Returns what is kept of arguments, some of which may be joined by spaces.
  private func divided(_ words: [String]) -> ArgumentReader.Arguments {
    let parts = words.flatMap { $0.split(separator: " ") }.map { Array($0.utf8) }
    return ArgumentReader.divided(Array(parts.joined(separator: [0])), of: "python3")
  }
}

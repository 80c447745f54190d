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

  /// The loader, by the paths that it has on machines of two kinds.
  private let loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].first {
    FileManager.default.fileExists(atPath: $0)
  }

  @Test("A script that is started by a relative path behind the loader is known by its absolute one")
  func loaded() throws {
    guard let loader else { return }
    let folder = try Folder()
    try script("game.sh", "printf x\nread -r line\n", in: folder)
    try script("game.py", "import os\nos.write(1, b'x')\nwhile os.read(0, 9): pass\n", in: folder)
    try script("left.sh", "cd /\nprintf x\nread -r line\n", in: folder)
    for (line, file) in [
      ("/bin/sh ./game.sh", "game.sh"), ("/usr/bin/python3 -u game.py", "game.py"), ("/bin/sh left.sh", "left.sh"),
      ("--argv0 x --library-path P --inhibit-cache /usr/bin/python3 -u game.py", "game.py"),
      (String(repeating: "--inhibit-cache ", count: 40) + "/bin/sh -e ./game.sh", "game.sh"),
      ("/bin/sh \(String(repeating: "-e ", count: 20)) ./game.sh", "game.sh"),
    ] {
      var looker = ProcessLooker()
      let seen = try facts(of: start("\(loader) \(line)", in: folder), &looker)
      #expect(seen.images[0].isLoader && seen.arguments.contains(" \(folder.path)/\(file)"), "\(seen)")
      #expect((seen.scriptPlace == nil) == line.contains("-e -e"), "\(seen)")
    }
  }

  @Test("A link of any name behind the loader hides no script, and neither do the loader's own arguments")
  func loadedLink() throws {
    guard let loader else { return }
    let folder = try Folder()
    try script("game.py", "import os\nos.write(1, b'x')\nwhile os.read(0, 9): pass\n", in: folder)
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/usr/bin/python3")
    for name in ["sh", "tool"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(name)", withDestinationPath: target.hasPrefix("/") ? target : "/usr/bin/\(target)")
      var looker = ProcessLooker()
      let seen = try facts(of: start("\(loader) ./\(name) game.py", in: folder), &looker)
      #expect(seen.arguments.contains(" \(folder.path)/game.py"), "\(seen)")
    }
    let divided = ArgumentReader.divided(
      Array("ld.so\0--argv0\0x\0/lib/ld-musl-x86_64.so.1\0--\0/usr/bin/python3\0-u\0game.py".utf8),
      of: "ld-linux-x86-64.so.2")
    #expect(divided.isLoader && divided.loaded == "python3" && divided.afterFirst == ["-u", "game.py"])
    let unclear = ArgumentReader.divided(Array("ld.so\0--new\0x\0/usr/bin/python3\0game.py".utf8), of: "ld.so")
    #expect(unclear.loaded == nil && unclear.afterFirst.last == "game.py")
  }

  @Test("A script that is an interpreter's input, a descriptor or a module is known by its path, and is not certain")
  func open() throws {
    let folder = try Folder()
    try script("game.sh", "printf x\nread -r line <&8\n", in: folder)
    try script("game.py", "import os\nos.write(1, b'x')\nwhile os.read(8, 9): pass\n", in: folder)
    try FileManager.default.createDirectory(atPath: "\(folder.path)/sub", withIntermediateDirectories: true)
    for (line, file) in [
      ("/bin/sh 8<&0 <game.sh", "game.sh"), ("/usr/bin/python3 8<&0 <game.py", "game.py"),
      ("/usr/bin/python3 /dev/fd/3 8<&0 3<game.py", "game.py"),
      ("/usr/bin/python3 -u /proc/self/fd/3 8<&0 3<game.py", "game.py"),
      ("/usr/bin/python3 -um game 8<&0", "game.py"), ("/usr/bin/python3 -m runpy game 8<&0", "game.py"),
      ("/usr/bin/python3 /dev/./fd/3 8<&0 3<game.py", "game.py"),
      ("/usr/bin/python3 /dev/../dev/fd/3 8<&0 3<game.py", "game.py"),
      ("/usr/bin/python3 /dev/fd/3/game.py 8<&0 3<.", "game.py"),
      ("/usr/bin/python3 /proc/self/fd/3/../game.py 8<&0 3<sub", "game.py"),
      ("/bin/sh -c 'cd /dev; exec /usr/bin/python3 fd/3 8<&0' 3<game.py", "game.py"),
      ("/bin/sh -c 'cd /dev/fd; exec /usr/bin/python3 3 8<&0' 3<game.py", "game.py"),
    ] {
      var looker = ProcessLooker()
      let seen = try facts(of: start(line, in: folder), &looker)
      #expect(seen.arguments.contains(" \(folder.path)/\(file)"), "\(line): \(seen.arguments)")
      #expect(seen.certainScript == nil, "\(line)")
    }
  }

  @Test("A script is recognized from a folder that seems deleted, and from one whose path is too long")
  func folders() throws {
    let folder = try Folder()
    try script("game.py", "import os\nos.write(1, b'x')\nwhile os.read(0, 9): pass\n", in: folder)
    for make in ["mkdir 'q (deleted)'; cd 'q (deleted)'", "mkdir q; cd q; rmdir ../q"] {
      var looker = ProcessLooker()
      let seen = try facts(
        of: RunningCat(
          ["/bin/sh", "-c", "cd \(folder.path); \(make); exec /usr/bin/python3 ../game.py"]), &looker)
      #expect(seen.arguments.contains(" \(folder.path)/game.py") && !seen.hasMoreArguments, "\(seen)")
      #expect(seen.certainScript == nil)
    }
    let name = String(repeating: "a", count: 250)
    let up = String(repeating: "../", count: 18)
    let deep = "for i in $(seq 18); do mkdir \(name); cd -P \(name) 2>/dev/null || cd ./\(name); done"
    var looker = ProcessLooker()
    let seen = try facts(
      of: RunningCat(
        ["/bin/sh", "-c", "cd \(folder.path); \(deep); exec /usr/bin/python3 \(up)game.py"]), &looker)
    #expect(seen.hasMoreArguments && seen.certainScript == nil, "\(seen)")
    let removal = try Process.run(URL(filePath: "/bin/rm"), arguments: ["-rf", "\(folder.path)/\(name)"])
    removal.waitUntilExit()
  }

  /// Returns what is kept of arguments, some of which may be joined by spaces.
  private func divided(_ words: [String]) -> ArgumentReader.Arguments {
    let parts = words.flatMap { $0.split(separator: " ") }.map { Array($0.utf8) }
    return ArgumentReader.divided(Array(parts.joined(separator: [0])), of: "python3")
  }
}

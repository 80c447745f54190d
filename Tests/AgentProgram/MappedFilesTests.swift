import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what a program has mapped beside its executable: Protocol/13-agent.md §8.
@Suite struct MappedFilesTests {
  private let wanted = ProcessLooker.Wanted(
    accounts: [geteuid()], needs: [geteuid(): .arguments], protected: [], protectedFiles: [])

  /// A looker for which orders name the package `games`, to which `cat` belongs.
  private func looker(_ folder: Folder) throws -> ProcessLooker {
    try Data("/.\n/usr/bin/cat\n".utf8).write(to: URL(filePath: folder.path + "/games.list"))
    var looker = ProcessLooker(packageFolder: folder.path)
    looker.load(packages: ["games"])
    return looker
  }

  /// Returns the facts of a second look, with which what a program has mapped is read.
  private func facts(of program: RunningCat, _ looker: inout ProcessLooker) throws -> ProcessFacts {
    _ = looker.look(at: program.pid, wanted, BootClock.now())
    let seen = looker.look(at: program.pid, wanted, BootClock.now())
    return try #require(seen).facts
  }

  /// A Python program that maps files as code, then echoes its input.
  private static func mapping(_ files: String) -> String {
    """
    import mmap, os
    kept = []
    for file in \(files):
        with open(file, "rb") as opened:
            kept.append(mmap.mmap(opened.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC))
    while data := os.read(0, 4096): os.write(1, data)
    """
  }

  @Test("A file of a package is known however many others are mapped, and where a mount gives it another path")
  func namedByPlace() throws {
    let folder = try Folder()
    for number in 0..<70 { try Data(count: 4_096).write(to: URL(filePath: "\(folder.path)/\(number)")) }
    var looker = try looker(folder)
    // The kernel lists what was mapped last first.
    let decoys = try RunningCat([
      "/usr/bin/python3", "-c",
      Self.mapping("[\"/usr/bin/cat\"] + [f\"\(folder.path)/{number}\" for number in range(70)]"),
    ])
    let first = try facts(of: decoys, &looker)
    #expect(first.images.contains { $0.packages == ["games"] } && first.images.count < 130)
    let script = "mount --bind /usr/bin/cat /usr/bin/login && exec /usr/bin/python3 -c '$0'"
    let hidden = try RunningCat([
      "/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c",
      script.replacing("'$0'", with: "'\(Self.mapping("[\"/usr/bin/login\"]"))'"),
    ])
    let second = try facts(of: hidden, &looker)
    #expect(
      second.images.contains { $0.packages == ["games"] } && second.images.contains { $0.path == "/usr/bin/login" })
    // Without such orders it is only another file.
    var other = ProcessLooker(packageFolder: folder.path)
    #expect(try facts(of: hidden, &other).images.allSatisfy { $0.packages.isEmpty })
  }

  @Test("What a loader runs from a path of the system's libraries is an unknown program, also after it was deleted")
  func forgedLibrary() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: folder.path + "/game.so")
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    guard let loader = loaders.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return }
    let program = try RunningCat([
      "/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c",
      "mount --bind \(folder.path) /usr/lib/locale && exec \(loader) /usr/lib/locale/game.so",
    ])
    var looker = try looker(folder)
    #expect(try facts(of: program, &looker).isFromWritablePlace)
    try FileManager.default.removeItem(atPath: folder.path + "/game.so")
    var other = try self.looker(folder)
    #expect(try facts(of: program, &other).isFromWritablePlace)
  }
}

import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of the recognition of copies of shells and interpreters: Protocol/13-agent.md §8.
@Suite struct InterpreterFilesTests {
  private func copy(_ program: String, to path: String, adding bytes: [UInt8] = []) throws {
    // `/bin/sh` is a link.
    let file = URL(filePath: program).resolvingSymlinksInPath().path()
    try FileManager.default.copyItem(atPath: file, toPath: path)
    guard !bytes.isEmpty else { return }
    chmod(path, 0o755)
    let copy = try #require(FileHandle(forWritingAtPath: path))
    try copy.seekToEnd()
    try copy.write(contentsOf: Data(bytes))
    try copy.close()
  }

  @Test("A renamed copy of an interpreter is known as one, also with something at its end; another program is not")
  func copies() throws {
    let folder = try Folder()
    let paths = ["plain", "longer", "other", "python3"].map { "\(folder.path)/\($0)" }
    // A shell stands for all of them: every machine has it.
    try copy("/bin/sh", to: paths[0])
    try copy("/bin/sh", to: paths[1], adding: [1])
    try copy("/bin/cat", to: paths[2])
    try copy("/bin/sh", to: paths[3])
    var looker = ProcessLooker()
    func image(_ arguments: [String]) throws -> ProcessFacts.Image {
      try #require(try facts(of: RunningCat(arguments), &looker).images.first)
    }
    let shell = ["-c", "printf x; read -r line"]
    for path in [paths[0], paths[1], paths[3]] {
      #expect(try image([path] + shell).isInterpreterCopy, "\(path)")
    }
    #expect(try !image([paths[2]]).isInterpreterCopy)
    // The account of the test may be root, whose programs are all the account's own.
    #expect(try image(["/bin/sh"] + shell).isInterpreterCopy == (geteuid() == 0), "It is no copy of the child's.")
  }

  @Test("An interpreter without a build ID is known by its content, and what is installed later is known as well")
  func contents() throws {
    let folder = try Folder()
    let own = folder.path + "/mine"
    let text = Data("#!/bin/false\n".utf8)
    try text.write(to: URL(filePath: own))
    /// Puts a file with the same content into a folder of its own.
    func original(_ name: String, in bin: String, mode: mode_t = 0o755) throws {
      try FileManager.default.createDirectory(atPath: "\(folder.path)/\(bin)", withIntermediateDirectories: false)
      try text.write(to: URL(filePath: "\(folder.path)/\(bin)/\(name)"))
      chmod("\(folder.path)/\(bin)/\(name)", mode)
    }
    func isCopy(
      _ files: inout InterpreterFiles,
      _ digest: (String) -> String? = { FileManager.default.contents(atPath: $0)?.base64EncodedString() }
    ) -> Bool {
      files.load()
      return files.areCopied(by: own, size: Int64(text.count), digest: digest)
    }
    var later = InterpreterFiles(folders: [folder.path + "/later"])
    #expect(!isCopy(&later))
    try original("lua5.4", in: "later")
    #expect(isCopy(&later))
    #expect(isCopy(&later) { $0 == own ? "a" : nil }, "The original has not been read.")
    #expect(!isCopy(&later) { $0 == own ? "a" : "b" } && !isCopy(&later) { _ in nil })
    try original("lua5.4", in: "text", mode: 0o644)
    try original("game", in: "games")
    for bin in ["text", "games"] {
      var files = InterpreterFiles(folders: ["\(folder.path)/\(bin)"])
      #expect(!isCopy(&files), "\(bin)")
    }
  }
}

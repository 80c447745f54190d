import Foundation
import LatchkeyTestSupport
import Testing

@testable import LatchkeyAgentProgram

@Suite("The files of Debian packages that orders name")
struct PackageFilesTests {
  @Test("Lists that come, change and go are found, although the folder is not read at each look")
  func lists() throws {
    let temporary = try Folder()
    defer { withExtendedLifetime(temporary) {} }
    let folder = URL(fileURLWithPath: temporary.path)
    var files = PackageFiles(folder: folder.path)
    let write = { (name: String, text: String) in
      try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic)
    }
    func expect(_ paths: String..., sourceLocation: SourceLocation = #_sourceLocation) {
      let isChanged = files.load(["game"])
      #expect(isChanged, sourceLocation: sourceLocation)
      for path in ["/usr/games/one", "/usr/games/two", "/usr/games/three"] {
        #expect(
          files.packages(of: path) == (paths.contains(path) ? ["game"] : []), "\(path)", sourceLocation: sourceLocation)
      }
      // The folder is trusted after the second of these looks.
      let later = (0..<3).map { _ in files.load(["game"]) }
      #expect(later == [false, false, false], sourceLocation: sourceLocation)
    }

    try write("other.list", "/usr/games/three\n")
    expect()
    try write("game.list", "/usr/games/one\n")
    expect("/usr/games/one")
    try write("game:amd64.list", "/games/two\n")
    expect("/usr/games/one", "/usr/games/two")
    // A list that is written to changes nothing in its folder.
    let list = try FileHandle(forWritingTo: folder.appending(path: "game.list"))
    try list.seekToEnd()
    try list.write(contentsOf: Data("/usr/games/three\n".utf8))
    try list.close()
    expect("/usr/games/one", "/usr/games/two", "/usr/games/three")
    try FileManager.default.removeItem(at: folder.appending(path: "game.list"))
    expect("/usr/games/two")
    let isChanged = files.load([])
    #expect(isChanged)
    #expect(files.packages(of: "/usr/games/two").isEmpty)
    expect("/usr/games/two")
  }
}

import Foundation
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what is wrong with matchers on this machine: Protocol/13-agent.md §6.
@Suite struct MatchersHereTests {
  private func fault(
    _ kind: AppMatcher.Kind, _ value: String, packages: String = "/var/lib/dpkg/info"
  ) -> OrderFault.Kind? {
    var (here, hashes) = (MatchersHere(packageFolder: packages), HashCache())
    return here.fault(of: AppMatcher(kind: kind, value: value), &hashes)
  }

  @Test("A path is looked for, and not taken if it is a link of root's to what the system needs")
  func paths() throws {
    #expect(fault(.path, "/usr/games/no-such-game") == .noProgram && fault(.path, "/bin/cat/x") == .noProgram)
    #expect(fault(.path, "/bin/cat") == nil)
    #expect(fault(.path, "/etc/alternatives/awk") == nil && fault(.path, "/bin/sh") == .neededProgram)
    // A child's own link is none that makes its target the application.
    let folder = try Folder()
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/game", withDestinationPath: "/bin/bash")
    #expect(fault(.path, folder.path + "/game") == nil)
  }

  @Test("The SHA-256 of a shell is one of a program that the system needs, and that of another program is not")
  func hashes() throws {
    var hashes = HashCache()
    for (path, expected) in [("/bin/bash", OrderFault.Kind.neededProgram), ("/bin/cat", nil)] {
      let digest = hashes.digest(of: path)
      #expect(fault(.sha256, try #require(digest)) == expected)
    }
  }

  @Test("A package is looked for where dpkg keeps its lists, if it does")
  func packages() throws {
    let folder = try Folder()
    for (name, files) in [
      ("kart.list", "/.\n/usr\n/bin/cat\n"), ("craft:amd64.list", "/etc/passwd\n/bin/cat\n"),
      ("kart-data.md5sums", "/bin/cat\n"),
      // It was removed, or is one that the system needs.
      ("removed.list", "/etc/passwd\n/usr/games/no-such-game\n"), ("shells.list", "/bin/cat\n/bin/bash\n"),
    ] {
      try Data(files.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
    for (name, expected) in [
      ("kart", nil), ("craft", nil), ("kart-data", .noProgram), ("chess", .noProgram), ("removed", .noProgram),
      ("shells", .neededProgram),
    ] as [(String, OrderFault.Kind?)] {
      #expect(fault(.package, name, packages: folder.path) == expected, "\(name)")
    }
    #expect(fault(.package, "chess", packages: folder.path + "/none") == nil)
    #expect(fault(.name, "chess") == nil && fault(.argument, "chess.py") == nil && fault(.flatpak, "a.b") == nil)
    #expect(fault(.snap, "no-such-snap") == .noProgram)
  }

  @Test("A pattern and a name are not taken if they fit what the system needs and has")
  func patterns() {
    #expect(fault(.argument, "/bin/bas?") == .neededProgram && fault(.argument, "*/bash *x") == nil)
    #expect(fault(.name, "bash") == .neededProgram && fault(.name, "ash") == nil)
  }

  @Test("What the agent cannot see although it may be there for a program is not called absent")
  func hidden() {
    #expect(fault(.path, "/app/bin/kart") == nil && fault(.path, "/home/no-such-child/kart") == nil)
  }
}

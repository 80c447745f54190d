import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what a look leaves out, and of what follows one that ends early: Protocol/13-agent.md
/// §8, §10.
@Suite struct LookCostTests {
  @Test("What the kernel knows of a file by itself is what it says of a file that nobody serves")
  func knownStatus() throws {
    for path in ["/bin/cat", "/", "/proc/self/exe"] {
      let (known, asked) = (try #require(ProcFile.knownStatus(path)), try #require(ProcFile.status(path)))
      #expect(FileMark(known) == FileMark(asked) && known.st_mode == asked.st_mode && known.st_nlink == asked.st_nlink)
      #expect(known.st_uid == asked.st_uid && known.st_gid == asked.st_gid)
      #expect(known.st_mtim.tv_sec == asked.st_mtim.tv_sec && known.st_mtim.tv_nsec == asked.st_mtim.tv_nsec)
    }
    #expect(ProcFile.knownStatus("/bin/none") == nil)
  }

  @Test("A look at new processes that ends early says so, and the next one sees the others")
  func newOnes() throws {
    var looker = ProcessLooker()
    let wanted = ProcessLooker.Wanted(
      accounts: [geteuid()], needs: [geteuid(): .all], protected: [], protectedFiles: [])
    _ = looker.look(wanted, at: BootClock.now()) { _ in }
    let programs = try (0..<3).map { _ in try RunningCat(["/bin/cat"]) }
    var seen: [Int32] = []
    let isEarlyDone = looker.lookAtNew(wanted, until: BootClock.now() + -1) { seen.append($0.identity.processID) }
    #expect(!isEarlyDone && seen.isEmpty)
    let isDone = looker.lookAtNew(wanted, until: BootClock.now() + 60_000) { seen.append($0.identity.processID) }
    #expect(isDone && Set(programs.map(\.pid)).isSubset(of: seen))
  }

  @Test("What no matcher needs of a process is not read of it, and what one needs is")
  func needs() throws {
    let folder = try Folder()
    let copied = folder.path + "/flatpak/app/org.example.Kart/files/bin/kart"
    try FileManager.default.createDirectory(
      atPath: (copied as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: copied)
    let program = try RunningCat([copied, "-"])
    for needs in [RecognitionNeeds.arguments, .flatpaks, .hashes, .ownHashes, .all, []] {
      var looker = ProcessLooker()
      let wanted = ProcessLooker.Wanted(
        accounts: [geteuid()], needs: [geteuid(): needs], protected: [], protectedFiles: [])
      let look = looker.look(at: program.pid, wanted, BootClock.now())
      let facts = try #require(look).facts
      #expect(facts.arguments == (needs.contains(.arguments) ? "\(copied) -" : ""))
      #expect(facts.flatpak == (needs.contains(.flatpaks) ? "org.example.Kart" : nil))
      #expect((facts.images[0].sha256 != nil) == (needs.contains(.hashes) || needs == .ownHashes))
    }
    // The account of the test may be root, whose programs are all the account's own.
    if geteuid() != 0 {
      let installed = try RunningCat(["/bin/cat", "-"])
      var looker = ProcessLooker()
      let wanted = ProcessLooker.Wanted(
        accounts: [geteuid()], needs: [geteuid(): .ownHashes], protected: [], protectedFiles: [])
      let look = looker.look(at: installed.pid, wanted, BootClock.now())
      #expect(try #require(look).facts.images[0].sha256 == nil)
    }
  }
}

import Foundation
import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import Testing

@testable import LatchkeyAgentProgram

/// Tests of looks at a process that begins another program meanwhile: Protocol/13-agent.md §10.
@Suite struct NextProgramTests {
  @Test("Programs of the machine that begin one another at once are never taken for unknown ones")
  func chain() throws {
    let folder = try Folder()
    let script = folder.path + "/chain"
    // Each of the three runs the next one in its own place.
    try Data("exec /usr/bin/env nice /bin/sh \(script)\n".utf8).write(to: URL(filePath: script))
    let program = try BackgroundProgram(["/bin/sh", script])
    defer { program.send(signal: SIGKILL) }
    var looker = ProcessLooker()
    let wanted = ProcessLooker.Wanted(accounts: [geteuid()], hashed: [], protected: [], protectedFiles: [])
    var seen: [String: Int] = [:]
    // A look finds one of the three; thousands find each of them, and the moments between them.
    for _ in 0..<20_000 {
      guard let (facts, _) = looker.lookAtStart(of: program.pid, wanted, BootClock.now()) else { continue }
      seen[facts.images.first?.path ?? "", default: 0] += 1
      try #require(!facts.isFromWritablePlace, "\(facts)")
      looker.forgetImages()
    }
    #expect(seen.count >= 3 && seen.values.reduce(0, +) > 1_000, "\(seen)")
  }

  @Test("A process that is between two programs is told by where its code begins, and not to those who may not know it")
  func between() {
    for (code, isBetween) in [("0", true), ("1", false), ("94000000", false)] {
      let fields = "1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 9 1 1 1 \(code) 5 9"
      let line = ProcessStatLine(Array("7 (a) R \(fields)\n".utf8))
      #expect(line?.isBetweenPrograms == isBetween, "\(code)")
    }
  }
}

import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of looks at a process that begins another program meanwhile: Protocol/13-agent.md §10.
@Suite struct NextProgramTests {
  /// Calls `body` with a program that runs, and kills and reaps it, since other tests wait for
  /// children of any number.
  private func running(_ arguments: [String], _ body: (Int32) throws -> Void) async throws {
    let program = try ChildProcess.background(arguments)
    let result = Result { try body(program.pid) }
    program.send(signal: SIGKILL)
    await program.wait()
    try result.get()
  }

  @Test("Programs of the machine that begin one another at once are never taken for unknown ones")
  func chain() async throws {
    let folder = try Folder()
    let script = folder.path + "/chain"
    // Each of the three runs the next one in its own place.
    try Data("exec /usr/bin/env nice /bin/sh \(script)\n".utf8).write(to: URL(filePath: script))
    try await running(["/bin/sh", script]) { try look(atChain: $0) }
  }

  private func look(atChain pid: Int32) throws {
    var looker = ProcessLooker()
    let wanted = ProcessLooker.Wanted(
      accounts: [geteuid()], needs: [geteuid(): .arguments], protected: [], protectedFiles: [])
    var seen: [String: Int] = [:]
    // A look finds one of the three; thousands find each of them, and the moments between them.
    for _ in 0..<20_000 {
      guard let (facts, _) = looker.lookAtStart(of: pid, wanted, BootClock.now()) else { continue }
      seen[facts.images.first?.path ?? "", default: 0] += 1
      try #require(!facts.isFromWritablePlace, "\(facts)")
      looker.forgetImages()
    }
    #expect(seen.count >= 3 && seen.values.reduce(0, +) > 1_000, "\(seen)")
  }

  @Test("A process that is between two programs is told by where its code begins, and not to those who may not know it")
  func between() {
    for (state, code, isBetween) in [
      ("R", "0", true), ("D", "0", true), ("S", "0", false), ("R", "1", false), ("R", "94000000", false),
    ] {
      let fields = "1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 9 1 1 1 \(code) 5 9"
      let line = ProcessStatLine(Array("7 (a) \(state) \(fields)\n".utf8))
      #expect(line?.isBetweenPrograms == isBetween, "\(state) \(code)")
    }
  }

  @Test(
    "A program that was made so that the kernel tells of none is seen all the same: at once, or a second later if it never sleeps"
  )
  func empty() async throws {
    let folder = try Folder()
    for sleeps in [true, false] {
      let path = "\(folder.path)/\(sleeps)"
      try Data(Self.program(sleeps: sleeps)).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      try await running([path]) { try look(atEmpty: $0, path, sleeps: sleeps) }
    }
  }

  private func look(atEmpty pid: Int32, _ path: String, sleeps: Bool) throws {
    let wanted = ProcessLooker.Wanted(
      accounts: [geteuid()], needs: [geteuid(): .arguments], protected: [], protectedFiles: [])
    // It is there as soon as it was spawned, and sleeps soon.
    try #require(ProcFile.link("/proc/\(pid)/exe") == path)
    while sleeps, ProcessStatLine(pid: pid)?.isBetweenPrograms == true { sched_yield() }
    try #require(ProcessStatLine(pid: pid)?.isBetweenPrograms == !sleeps)
    var looker = ProcessLooker()
    let now = BootClock.now()
    func look(_ milliseconds: Int64) -> ProcessFacts? {
      looker.look(at: pid, wanted, BootInstant(milliseconds: now.milliseconds + milliseconds))?.facts
    }
    #expect((look(0) == nil) == !sleeps && looker.isBetweenPrograms(pid) == !sleeps)
    #expect((look(500) == nil) == !sleeps)
    let facts = look(1_000)
    #expect(facts?.images.first?.path == path && facts?.isFromWritablePlace == true)
    looker.forgetImages()
    #expect(look(2_000)?.identity == facts?.identity, "Once is enough.")
    // Where too many are left for later, none is.
    guard !sleeps else { return }
    var full = ProcessLooker()
    for number in 1...Int32(ProcessLooker.mostBetween) {
      full.between[ProcessIdentity(processID: number + 5_000_000, startTime: 1)] = now
    }
    #expect(full.look(at: pid, wanted, now) != nil)
  }

  /// Returns a program that sleeps or runs for ever, whose second segment with code is empty and at
  /// 0.
  private static func program(sleeps: Bool) -> [UInt8] {
    func bytes(_ values: [(UInt64, Int)]) -> [UInt8] {
      values.flatMap { value, size in (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) } }
    }
    #if arch(x86_64)
      // pause(2), and again; or a jump to itself.
      let machine: UInt64 = 62
      let code: [UInt8] = sleeps ? [0xB8, 34, 0, 0, 0, 0x0F, 0x05, 0xEB, 0xF7] : [0xEB, 0xFE]
    #else
      // ppoll(2) of nothing, and again; or a jump to itself.
      let machine: UInt64 = 183
      let code = bytes((sleeps ? [0xD280_0928, 0xD400_0001, 0x17FF_FFFE] : [0x1400_0000]).map { ($0, 4) })
    #endif
    let (base, headers): (UInt64, UInt64) = (0x40_0000, 64 + 2 * 56)
    let size = headers + UInt64(code.count)
    return [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
      + bytes([(2, 2), (machine, 2), (1, 4), (base + headers, 8), (64, 8), (0, 8), (0, 4), (64, 2), (56, 2), (2, 2)])
      + bytes([(64, 2), (0, 2), (0, 2)])
      + bytes([(1, 4), (5, 4), (0, 8), (base, 8), (base, 8), (size, 8), (size, 8), (0x1000, 8)])
      + bytes([(1, 4), (5, 4), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0x1000, 8)]) + code
  }
}

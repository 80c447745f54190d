import Foundation
import Testing

@testable import LatchkeySystem

@Suite struct MachineTests {
  @Test(arguments: [
    ("7 (sh) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 342995 1 2\n", 342_995, false),
    ("7 (a) b) (c) Z 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12 1 2\n", 12, true),
    ("7 () X 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 18446744073709551615 1\n", UInt64.max, true),
  ])
  func aStatLineIsReadWhateverTheNameHolds(line: String, startTime: UInt64, hasEnded: Bool) throws {
    let stat = try #require(ProcessStatLine(Array(line.utf8)))
    #expect(stat.startTime == startTime)
    #expect(stat.hasEnded == hasEnded)
  }

  @Test(arguments: ["", "7 (sh", "7 (sh)", "7 (sh) S 1 2 3", "7 (sh) S 1 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 -12 1 2"])
  func whatIsNoStatLineIsRefused(line: String) {
    #expect(ProcessStatLine(Array(line.utf8)) == nil)
  }

  @Test func thisProcessIsAliveAndNoOtherOfItsNumber() throws {
    let pid = ProcessInfo.processInfo.processIdentifier
    let startTime = try #require(ProcessLiveness.startTime(pid: pid))
    #expect(ProcessLiveness.isAlive(pid: pid, startTime: startTime))
    #expect(!ProcessLiveness.isAlive(pid: pid, startTime: startTime &+ 1))
    #expect(!ProcessLiveness.isAlive(pid: -1, startTime: startTime))
    #expect(ProcessLiveness.startTime(pid: 0) == nil)
  }

  @Test func theBootHasAnID() throws {
    let id = try #require(BootID.current())
    #expect(UUID(uuidString: id) != nil)
    #expect(BootID.current() == id)
  }

  @Test func theClocksAreThoseOfTheKernel() throws {
    let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
    let seconds = try #require(uptime.split(separator: " ").first.flatMap { Double($0) })
    // Read later, so not earlier; /proc/uptime is the same clock in hundredths of a second.
    #expect(BootClock.now().milliseconds >= Int64(seconds * 1_000))
    let before = Date()
    #expect(WallClock.now() >= Int64(before.timeIntervalSince1970 * 1_000))
  }

  @Test func theFirstRunnableFileOfThePathIsTaken() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, mode) in [("a", 0o600), ("b", 0o700), ("c", 0o700)] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
      try #require(
        FileManager.default.createFile(
          atPath: "\(folder)/\(name)/tool", contents: Data(), attributes: [.posixPermissions: mode]))
    }
    try FileManager.default.createDirectory(atPath: "\(folder)/d/tool", withIntermediateDirectories: true)
    let path = ["d", "a", "b", "c"].map { "\(folder)/\($0)" }.joined(separator: ":")
    #expect(try ProgramLookup.file(of: "tool", path: path) == "\(folder)/b/tool")
    #expect(throws: ProgramStartError.notExecutable("\(folder)/a/tool", errno: 13)) {
      try ProgramLookup.file(of: "tool", path: "\(folder)/d:\(folder)/a")
    }
    #expect(throws: ProgramStartError.notFound("tool")) { try ProgramLookup.file(of: "tool", path: "\(folder)/d") }
    #expect(try ProgramLookup.file(of: "sh", path: nil).hasSuffix("/bin/sh"))
  }

  @Test(.disabled(if: geteuid() == 0, "root may search every folder"))
  func aFolderOfThePathThatMayNotBeSearchedIsPassedOver() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try #require(chmod(folder, 0) == 0)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(throws: ProgramStartError.notFound("no-such-program")) {
      try ProgramLookup.file(of: "no-such-program", path: "\(folder):/bin")
    }
    #expect(throws: ProgramStartError.notExecutable("\(folder)/tool", errno: EACCES)) {
      try ProgramLookup.file(of: "\(folder)/tool", path: nil)
    }
  }
}

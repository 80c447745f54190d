import Foundation
import Glibc
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of a program on a file system that the child serves and that answers nothing:
/// Protocol/13-agent.md §8.
@Suite(
  .enabled(if: geteuid() == 0, "only root looks at others' programs; run Tools/test by sudo"),
  .enabled(if: access("/dev/fuse", F_OK) == 0, "this kernel has no FUSE"))
struct ServedFileAsRoot {
  /// The number of an account that does not exist.
  private static let account: UInt32 = 31_803
  /// A program that becomes a copy of another one, which a process of its own serves.
  private static let server = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Nested/support/blockers").standardized.path

  /// Returns whether `stat` runs in a process, and sleeps.
  private static func sleeps(_ process: Int32) -> Bool {
    guard ProcFile.link("/proc/\(process)/exe") == "/usr/bin/stat",
      let line = ProcFile.line("/proc/\(process)/stat"), let end = line.lastIndex(of: 0x29)
    else { return false }
    return line.dropFirst(end + 2).first == 0x53
  }

  @Test("A look waits for nobody, and takes the program for an unknown one")
  func silent() throws {
    let program = try RunningCat(["/usr/bin/python3", Self.server, "\(Self.account)", "/bin/cat"])
    let children = ProcFile.processes().filter { ProcessStatLine(pid: $0)?.parent == program.pid }
    let server = try #require(children.first)
    kill(server, SIGSTOP)
    let file = "/proc/\(program.pid)/exe"
    let asking = Process()
    asking.executableURL = URL(filePath: "/usr/bin/stat")
    asking.arguments = ["--dereference", file]
    (asking.standardOutput, asking.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try asking.run()
    // A look that waits goes on without the server, which shows that it has waited.
    let rescue = DispatchWorkItem { kill(server, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: rescue)
    defer { rescue.cancel() }

    // Once it waits for the server, it sleeps.
    while asking.isRunning, !Self.sleeps(asking.processIdentifier) { sched_yield() }

    let status = try #require(ProcFile.knownStatus(file))
    #expect(status.st_uid == Self.account && status.st_size > 0 && !KnownDevices().isLocal(status))
    var looker = ProcessLooker()
    let wanted = ProcessLooker.Wanted(
      accounts: [Self.account], needs: [Self.account: .all], protected: [], protectedFiles: [])
    let look = looker.look(at: program.pid, wanted, BootClock.now())
    let seen = try #require(look).facts
    #expect(seen.images.count == 1 && seen.images[0].path.hasSuffix("/f") && seen.images[0].isHidden)
    #expect(seen.isFromWritablePlace && !seen.isProtected && seen.flatpak == nil)

    #expect(asking.isRunning, "The server answers.")
    #expect(ProcessStatLine(pid: server)?.hasEnded == false, "A look has waited for the server.")
    kill(server, SIGKILL)
    asking.waitUntilExit()
  }
}

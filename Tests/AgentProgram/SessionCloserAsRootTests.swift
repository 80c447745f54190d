import Foundation
import Glibc
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what is left of an account whose sessions may not be open: Protocol/13-agent.md §13.
///
/// The accounts are numbers that nobody has.
@Suite(.enabled(if: geteuid() == 0, "only root can end programs of others; run Tools/test by sudo"))
struct SessionCloserAsRoot {
  private func program(as user: UInt32) throws -> RunningCat {
    try RunningCat(["/usr/bin/setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "/bin/cat"])
  }

  private func identity(_ program: RunningCat) throws -> ProcessIdentity {
    ProcessIdentity(
      processID: program.pid, startTime: try #require(ProcessLiveness.startTime(pid: program.pid)))
  }

  @Test("What runs under the account's own and its subordinate user IDs is killed, and nothing else is")
  func subordinates() throws {
    let folder = try Folder()
    try Data("31801:2000000:1000\n31802:2001000:1000\n".utf8).write(to: URL(filePath: folder.path + "/subuid"))
    var closer = SessionCloser(
      address: "unix:path=\(folder.path)/none", subordinateUsers: folder.path + "/subuid")
    let others = try [31_802, 2_001_000, 31_801].map { try program(as: $0) }
    for user: UInt32 in [31_801, 2_000_999] {
      let program = try program(as: user)
      guard let handle = ProcessHandle(try identity(program)) else {
        Issue.record("It has ended.")
        return
      }
      closer.end(31_801, sparing: [try identity(others[2])])
      var ready = pollfd(fd: handle.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&ready, 1, 10_000) == 1, "What runs as \(user) goes on.")
    }
    for other in others { #expect(ProcessLiveness.isAlive(pid: other.pid, startTime: try identity(other).startTime)) }
  }
}

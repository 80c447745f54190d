import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// A folder that is removed with this value.
final class Folder {
  let path: String
  init() throws {
    var name = Array("/tmp/lk-agent-XXXXXX".utf8CString)
    try #require(mkdtemp(&name) != nil)
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A process of `cat` that has begun to run its program, and is killed with this value.
final class RunningCat {
  let pid: pid_t
  private var (toIt, fromIt): ([Int32], [Int32]) = ([-1, -1], [-1, -1])

  init(_ arguments: [String]) throws {
    let arePipes = pipe(&toIt) == 0 && pipe(&fromIt) == 0
    try #require(arePipes)
    for descriptor in toIt + fromIt { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toIt[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromIt[1], 1)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, arguments[0], &actions, nil, &words, environ)
    try #require(code == 0)
    self.pid = pid
    // Without the program's ends here, one that fails is noticed.
    close(toIt[0])
    close(fromIt[1])
    // A byte that comes back shows that the program is there, with its arguments and what it has
    // mapped.
    var byte: UInt8 = 7
    let isThere = write(toIt[1], &byte, 1) == 1 && read(fromIt[0], &byte, 1) == 1
    try #require(isThere)
  }

  deinit {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
    close(toIt[1])
    close(fromIt[0])
  }
}

extension ProcessLooker.Wanted {
  /// Everything about the programs of the account that runs the tests.
  static var own: Self { Self(accounts: [geteuid()], needs: [geteuid(): .all], protected: [], protectedFiles: []) }
}

/// Returns what a look at a program tells of it.
func facts(of program: RunningCat, _ looker: inout ProcessLooker) throws -> ProcessFacts {
  let seen = looker.look(at: program.pid, .own, BootClock.now())
  return try #require(seen).facts
}

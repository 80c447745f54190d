import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Keys in a node's memory are out of reach of the user's other programs, and in no core file.
  @Suite struct DumpTests {
    /// The owner of a process's files below /proc: its user if it can be dumped, and root if not.
    private func owner(_ process: pid_t) throws -> uid_t {
      var entry = stat()
      guard stat("/proc/\(process)/environ", &entry) == 0 else { throw LabFault("There is no process \(process).") }
      return entry.st_uid
    }

    private func coreLimit(_ process: pid_t) -> [Substring] {
      let lines = ProcessLab.read("/proc/\(process)/limits").split(separator: "\n")
      let words = lines.first { $0.hasPrefix("Max core file size") }?.split(separator: " ") ?? []
      return words.dropFirst(4).prefix(2).map { $0 }
    }

    @Test("A node cannot be dumped, with or without an open code, but the programs that it records can")
    func undumpable() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        // Only of an ordinary user's process does the owner of those files tell anything.
        let user = getuid()
        try #require(user != 0)
        #expect(try owner(getpid()) == user)
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        for node in [parent, child] {
          let process = try #require(await node.pid)
          #expect(try owner(process) != user)
          #expect(coreLimit(process) == ["0", "0"])
          #expect(open("/proc/\(process)/mem", O_RDONLY) == -1 && errno == EACCES)
        }
        // While a code is open, and after it is closed.
        let process = try #require(await parent.pid)
        _ = try await lab.code(from: parent)
        #expect(try owner(process) != user)
        #expect(try await parent.latchkey("pair", "cancel").status == 0)
        #expect(try owner(process) != user)
        // A node can still read its own data in /proc.
        #expect(try await parent.api.ask(Endpoints.getStatus).residentBytes > 0)

        let tracked = try await child.latchkey(
          "usage", "track", "--app", "a.b", "--", "/bin/sh", "-c", "stat -c %u /proc/$$/environ; true")
        #expect(tracked.status == 0 && tracked.output == "\(user)\n", "\(tracked)")

        // A signal that usually creates a core file creates none.
        await parent.signal(SIGABRT)
        #expect(await parent.wait() == .signalled(SIGABRT))
        let left = try FileManager.default.subpathsOfDirectory(atPath: lab.folder).filter { $0.contains("core") }
        #expect(left.isEmpty)
      }
    }
  }
}

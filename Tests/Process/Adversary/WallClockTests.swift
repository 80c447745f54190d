import Foundation
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Machines whose wall clocks are years off, or set in the middle of a pairing.
  @Suite struct WallClockTests {
    /// The library's path on Debian, in a folder named after the processor.
    static let library = ["x86_64", "aarch64"]
      .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketime.so.1" }
      .first { FileManager.default.fileExists(atPath: $0) }

    /// Returns the variables that give a process another wall clock and leave its boot clock.
    private func variables(_ file: String) -> [String: String] {
      [
        "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
      ]
    }

    private func set(_ file: String, _ offset: String) throws {
      try Data((offset + "\n").utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }

    private func bothConnected(_ parent: NodeProcess, _ child: NodeProcess) async throws -> Bool {
      let isParent = try await parent.isConnected()
      return try await child.isConnected() && isParent
    }

    /// Returns the year in a node's log.
    private func year(_ node: NodeProcess) -> Int? {
      node.log.split(separator: "\n").last.flatMap { Int($0.prefix(4)) }
    }

    @Test(
      "A clock that is ten years wrong, or is set by twenty years during a pairing, does not affect the pairing",
      .enabled(if: WallClockTests.library != nil, "skipped: libfaketime is missing; Tools/setup installs it"),
      arguments: [DeviceRole.parent, .child], [false, true])
    func tenYears(whose: DeviceRole, isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let file = lab.newPath()
        try set(file, "-10y")
        let parent = try await lab.node(.parent, "Kitchen laptop")
        let child = try await lab.node(.child, "Emma's PC")
        let other = whose == .parent ? parent : child
        // The library moves the environment when it is loaded first, and with that hides a Swift
        // program's arguments: it is loaded into another program, which then becomes the node.
        await other.use(variables(file), launcher: ["/usr/bin/env"])
        for node in [parent, child] { try await node.start() }
        // The library's shared memory is named after the process that loaded it.
        let pid = try #require(await other.pid)
        for name in ["faketime_shm_\(pid)", "sem.faketime_sem_\(pid)"] { unlink("/dev/shm/\(name)") }
        let now = Calendar(identifier: .gregorian).component(.year, from: Date())
        #expect(abs((year(other) ?? 0) - (now - 10)) <= 1, "the clock is set")

        let code = try await lab.invite(parent, asks: true)
        let joining = try await child.api.ask(
          Endpoints.join,
          JoinRequest(
            code: code.text(isTyped: isTyped), peer: "127.0.0.1:\(try await parent.port())", acceptWithoutAsking: false)
        )
        let atParent = try await lab.asked(code.id, at: parent)
        let atChild = try await lab.asked(joining.pairingID, at: child)
        #expect(atParent.digits == atChild.digits)
        try set(file, "+10y")
        try await lab.answer(atParent, at: parent, yes: true)
        try await lab.answer(atChild, at: child, yes: true)
        #expect(try await lab.follow(joining.pairingID, at: child) { _ in false }.outcome == .ok)
        try await eventually("they are connected") { try await bothConnected(parent, child) }
        let id = try await parent.issue(.message("whenever"), to: "Emma's PC")
        // In a process with this library, timers ring late or never, such as the one that ends the
        // wait of a receipt alone. The next command takes the receipt along.
        try await eventually("the command is executed") {
          _ = try await parent.issue(.message("again"), to: "Emma's PC")
          return try await parent.api.ask(Endpoints.getCommand, id).status == .executed
        }
        #expect(abs((year(other) ?? 0) - (now + 10)) <= 1, "the clock was set")

        // An open code keeps its time, whatever the date.
        let open = try await lab.invite(parent)
        try set(file, "-10y")
        let left = try #require(try await parent.api.ask(Endpoints.getPairings).first { $0.pairingID == open.id })
        #expect(try #require(left.expiresInMilliseconds) > 0)
        #expect(try await parent.api.ask(Endpoints.getPairings).count == 1)
      }
    }
  }
}

import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Synchronization
import Testing

extension ProcessTests {
  /// What a child is told at once, and by which way.
  @Suite struct NoticeTests {
    /// The notices of a stream as they come.
    private final class Reader: Sendable {
      private let seen = Mutex<[ChildNotice]>([])
      private let task = Mutex<Task<Void, Never>?>(nil)
      var notices: [ChildNotice] { seen.withLock { $0 } }

      init(_ node: NodeProcess, after number: Int = 0) async throws {
        let stream = try await node.api.ask(Endpoints.noticeEvents, number)
        let reading = Task { [self] in
          for await notice in stream { seen.withLock { $0.append(notice) } }
        }
        task.withLock { $0 = reading }
      }

      deinit { task.withLock { $0?.cancel() } }
    }

    @Test("A child is told what closes and why, and what a parent answers; a newer notice replaces an older one")
    func told() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let reader = try await Reader(home.pc)
        try await home.set([("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)")])
        let game = try await home.survivor()
        try await home.set([("app/kart/limit", "0")])
        #expect(await game.wait() != .exited(0))
        try await eventually("it is told that Kart was closed") {
          reader.notices.contains {
            $0.kind == .closed && $0.sentence.worded().hasPrefix("Kart was closed: no Kart a day")
          }
        }
        let closed = try #require(reader.notices.last { $0.kind == .closed })
        #expect(closed.key == "app/kart", "\(closed)")

        let asked = try await home.pc.latchkey("ask", "30m", "--for", "kart")
        #expect(asked.status == 0, "\(asked)")
        try await eventually("the parent knows of it") {
          try await home.mum.api.ask(Endpoints.getRequests, nil).contains { $0.state == .open }
        }
        let denied = try await home.mum.latchkey("deny", "--word", "tomorrow")
        #expect(denied.status == 0, "\(denied)")
        try await eventually("it is told of the answer") {
          reader.notices.contains {
            $0.kind == .denied && $0.sentence.worded() == "“Kitchen laptop” says no to 30 min for Kart: tomorrow"
          }
        }
        // Who comes later gets the last of each, and only what it does not know.
        let last = try #require(reader.notices.last).number
        let later = try await Reader(home.pc)
        try await eventually("what is kept is told again") {
          Set(later.notices.map(\.kind)).isSuperset(of: [.closed, .denied])
        }
        #expect(later.notices.count { $0.key == "app/kart" } == 1, "\(later.notices)")
        try await home.pc.restart()
        try await home.set([("app/kart/blocked", "yes")])
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        let again = try await Reader(home.pc, after: last)
        try await eventually("numbers grow also over a restart of the node") {
          again.notices.contains { $0.sentence.worded() == "Kart is blocked. It was closed." && $0.number > last }
        }
      }
    }

    @Test("The agent tells the service manager that it is up, and then that it lives")
    func watchdog() async throws {
      try await ProcessLab.run { lab in
        let (path, folder) = (lab.newPath() + ".notify", lab.newPath())
        mkdir(folder, 0o700)
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(receiver) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
        try #require(bound == 0)
        let agent = try lab.spawn(
          BuiltProgram.path(of: "latchkey-agent"),
          ["--socket", folder + "/agent.sock", "--orders", folder + "/agent.orders"],
          variables: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"], output: "/dev/null", talk: folder + ".log")
        var told: [String] = []
        try await eventually("it tells three times that it lives") {
          guard agent.isRunning else { throw LabFault("It ended: \(ProcessLab.read(folder + ".log"))") }
          var bytes = [UInt8](repeating: 0, count: 256)
          let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
          if count > 0 { told.append(String(decoding: bytes.prefix(count), as: UTF8.self)) }
          return told.count >= 4
        }
        #expect(told.first == "READY=1" && told.dropFirst().allSatisfy { $0 == "WATCHDOG=1" }, "\(told)")
        // While it is stopped it gives no sign, so that it is started again.
        agent.signal(SIGSTOP)
        agent.signal(SIGKILL)
        _ = await agent.wait()
      }
    }
  }
}

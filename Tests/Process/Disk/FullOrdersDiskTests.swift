import Foundation
import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel
import Testing

extension ProcessTests {
  /// An agent whose orders are on a full disk: Protocol/13-agent.md §4.
  @Suite struct FullOrdersDiskTests {
    @Test(
      "New orders hold although the disk is full, which is told before they are in force, and are kept when there is room"
    )
    func full() async throws {
      try await ProcessLab.run { lab in
        guard let disk = try await SmallDisk.memory(lab, mebibytes: 1) else { return }
        let (socket, orders) = (lab.newPath() + ".sock", disk.path + "/orders")
        let command = disk.enter + Namespaces.asOrdinaryUser + [BuiltProgram.path(of: "latchkey-agent")]
        let agent = try lab.spawn(
          command[0], command.dropFirst() + ["--socket", socket, "--orders", orders], output: "/dev/null",
          talk: socket + ".log")
        var found: LocalSocket?
        try await eventually("the agent listens") {
          guard agent.isRunning else { throw LabFault("it ended: \(ProcessLab.read(socket + ".log"))") }
          found = LocalSocket.connect(to: socket)
          return found != nil
        }
        let connection = try #require(found)
        var hearing = Hearing(socket: connection)
        try await eventually("it greets") {
          guard let hello = try hearing.hello() else { return false }
          try hearing.send(.welcome(NodeWelcome(run: hello.run, stored: 0)))
          return true
        }

        try hearing.order(1, account: geteuid())
        try await eventually("the first orders hold") { try hearing.events().last == .inForce(orders: 1) }
        #expect(hearing.heard == [.inForce(orders: 1)])
        try disk.fill()
        try hearing.order(2, account: geteuid())
        try await eventually("the second orders hold") { try hearing.events().last == .inForce(orders: 2) }
        #expect(
          hearing.heard.suffix(2) == [
            .refused(orders: 2, OrderFault(.notKept, account: 0)), .inForce(orders: 2),
          ], "\(hearing.heard)")
        #expect(try disk.kept() == 1, "The earlier ones stay.")

        #expect(unlink(disk.outside + "/filler") == 0)
        try await eventually("they are kept") { try hearing.events().count == 4 }
        #expect(hearing.heard.last == .inForce(orders: 2))
        #expect(try disk.kept() == 2)
      }
    }
  }

  /// The node's end of a connection to an agent.
  private struct Hearing {
    let socket: LocalSocket
    var assembler = AgentFrameAssembler()
    var heard: [AgentReport.Event] = []

    init(socket: LocalSocket) { self.socket = socket }

    mutating func hello() throws -> AgentHello? {
      assembler.append(socket.read() ?? [])
      guard case .hello(let hello) = try assembler.next() else { return nil }
      return hello
    }

    /// Returns all that was heard so far.
    mutating func events() throws -> [AgentReport.Event] {
      assembler.append(socket.read() ?? [])
      while case .report(let report) = try assembler.next() { heard.append(report.event) }
      return heard
    }

    func send(_ frame: AgentFrame) throws {
      let bytes = try frame.bytes()
      guard socket.write(bytes[...]) == bytes.count else { throw LabFault("the agent takes nothing") }
    }

    func order(_ number: UInt64, account: UInt32) throws {
      guard let boot = BootID.current() else { throw LabFault("no boot") }
      try send(
        .orders(
          AgentOrders(
            number: number, boot: boot, at: BootClock.now(),
            accounts: [AccountOrders(account: account, programs: [])])))
    }
  }
}

extension SmallDisk {
  /// Returns the number of the orders that an agent has kept on it.
  fileprivate func kept() throws -> UInt64 {
    let content = try Data(contentsOf: URL(fileURLWithPath: outside + "/orders"))
    return try OrdersFile.read([UInt8](content)).number
  }
}

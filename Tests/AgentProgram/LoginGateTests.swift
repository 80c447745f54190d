import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Synchronization
import Testing

@testable import LatchkeyAgentProgram

/// Tests of the log-in gate and of its place at the agent: Protocol/13-agent.md §13.
@Suite struct LoginGateTests {
  /// A folder with a gate, which is removed with this value.
  private final class Place {
    let folder: String
    init() throws {
      var name = Array("/tmp/lk-gate-XXXXXX".utf8CString)
      try #require(mkdtemp(&name) != nil)
      folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var socket: String { folder + "/gate.sock" }
    var orders: String { folder + "/orders" }
    var notes: GateNotes { GateNotes(besides: orders) }

    func gate() -> LoginGate {
      var gate = LoginGate()
      (gate.socket, gate.orders) = (socket, orders)
      return gate
    }

    /// Keeps orders for two accounts that close the sessions of one, and leave those of the other
    /// alone.
    func keep(closing closed: UInt32 = 70_001) {
      let terms = SessionTerms(closesAt: BootInstant(milliseconds: 1), reason: "bedtime")
      let orders = AgentOrders(
        number: 1, boot: "boot", at: BootInstant(milliseconds: 1),
        accounts: [70_001, 70_002].map {
          AccountOrders(account: $0, sessions: $0 == closed ? terms : nil, programs: [])
        })
      #expect(OrdersStore(path: self.orders).keep(orders) == nil)
    }

    /// Answers gates on a thread until `body` has ended, and returns which accounts were asked for.
    func answering(_ body: () -> Void) throws -> [UInt32] {
      let listener = try #require(GateListener(path: socket, notes: notes))
      let box = Box(listener)
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        while !box.isOver.load(ordering: .acquiring) {
          var ready = box.listener.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
          guard poll(&ready, nfds_t(ready.count), 50) > 0 else { continue }
          box.listener.serve { account in
            box.asked.withLock { $0.append(account) }
            return GateAnswer(isAllowed: account != 70_001, reason: account == 70_001 ? "bedtime until 07:00" : "")
          }
        }
        ended.signal()
      }
      body()
      box.isOver.store(true, ordering: .releasing)
      ended.wait()
      return box.asked.withLock { $0 }
    }
  }

  private final class Box: @unchecked Sendable {
    let listener: GateListener
    let isOver = Atomic(false)
    let asked = Mutex<[UInt32]>([])
    init(_ listener: GateListener) { self.listener = listener }
  }

  @Test(
    "The agent's refusal is the exit status 0 with a sentence; root and accounts without orders are not asked for"
  )
  func answers() throws {
    let place = try Place()
    let asked = try place.answering {
      var gate = place.gate()
      #expect(gate.ask(70_001) == LoginGate.refused && gate.sentence == "Bedtime until 07:00.")
      gate = place.gate()
      #expect(gate.ask(70_002) == LoginGate.allowed && gate.sentence == "")
      place.keep()
      #expect(place.gate().asked(70_001) == LoginGate.refused)
      for account in [0, 70_002, 70_003] as [UInt32] { #expect(place.gate().asked(account) == LoginGate.allowed) }
      // The agent's newer orders count, which it could not write to the file.
      place.keep(closing: 70_002)
      #expect(place.gate().asked(70_001) == LoginGate.refused)
    }
    #expect(asked == [70_001, 70_002, 70_001, 70_002, 70_001])
    #expect(place.notes.take() == 0)
  }

  @Test(
    "Without an agent, with one that says nothing, and with one that says nonsense, the log-in goes on, and is noted")
  func noAnswer() throws {
    let place = try Place()
    #expect(place.gate().asked(70_001) == LoginGate.allowed)
    #expect(place.notes.take() == 0, "Nothing is supervised.")
    place.keep()
    #expect(place.gate().asked(70_002) == LoginGate.allowed)
    #expect(place.notes.take() == 0, "Its sessions are left alone.")
    #expect(place.gate().asked(70_001) == LoginGate.allowed)
    let silent = try #require(LocalSocket.listen(at: place.socket))
    #expect(place.gate().asked(70_001) == LoginGate.allowed)
    let nonsense = Thread {
      var ready = [pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)]
      for _ in 0..<2 where poll(&ready, 1, 60_000) > 0 {
        guard let socket = silent.accept() else { continue }
        _ = socket.write(GateAnswer(isAllowed: false, reason: "x").bytes.dropLast()[...])
      }
    }
    nonsense.start()
    #expect(place.gate().asked(70_001) == LoginGate.allowed)
    #expect(place.notes.take() == 3)
    #expect(place.notes.take() == 0, "They are told once.")
  }

  @Test("A gate that has asked is answered also if it has to make room for another one")
  func late() throws {
    let place = try Place()
    let listener = try #require(GateListener(path: place.socket, notes: place.notes))
    let refusal: (UInt32) -> GateAnswer = { _ in GateAnswer(isAllowed: false, reason: "bedtime") }
    // As many as are served at the same time, and none has asked.
    let first = try #require(LocalSocket.connect(to: place.socket))
    var others: [LocalSocket] = []
    listener.serve(refusal)
    for _ in 1..<16 {
      others.append(try #require(LocalSocket.connect(to: place.socket)))
      listener.serve(refusal)
    }
    _ = first.write(GateQuestion(account: 70_001).bytes[...])
    others.append(try #require(LocalSocket.connect(to: place.socket)))
    listener.serve(refusal)
    let answer = try #require(first.read())
    #expect(GateAnswer(bytes: answer) == GateAnswer(isAllowed: false, reason: "bedtime"))
  }

  @Test("Gates that say nothing, or nonsense, keep nobody waiting")
  func rude() throws {
    let place = try Place()
    let asked = try place.answering {
      let idle = (0..<7).compactMap { _ in LocalSocket.connect(to: place.socket) }
      #expect(!idle.isEmpty)
      for socket in idle.prefix(3) { _ = socket.write(Array("GET / HTTP/1.1\n".utf8)[...]) }
      var status = LoginGate.allowed
      // A full queue of connections is no refusal.
      for _ in 0..<200 where status == LoginGate.allowed { status = place.gate().asked(70_001) }
      #expect(status == LoginGate.refused)
    }
    #expect(asked == [70_001])
  }
}

extension LoginGate {
  /// Asks with a copy, and returns the exit status.
  fileprivate func asked(_ account: UInt32) -> Int32 {
    var gate = self
    return gate.ask(account)
  }
}

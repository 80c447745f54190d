import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Synchronization

/// An agent that closes nothing, and says to the node of the same user what a test has it say.
final class FakeAgent: Sendable {
  private struct Content {
    var told: [AgentReport.Event] = []
    var isStopped = false
    var isLeaving = false
    var greetings = Greetings()
  }

  private let content = Mutex(Content())
  private let listener: LocalSocket
  private let hello: AgentHello
  private let faults: [OrderFault.Kind]

  /// Listens where a node looks for its agent; the node is to be started afterwards.
  ///
  /// It refuses the parts of all orders that have these faults, of the first account.
  init(
    of node: NodeProcess, hasEvents: Bool = true, hasSessions: Bool = true, faults: [OrderFault.Kind] = []
  ) throws {
    guard let listener = LocalSocket.listen(at: node.folder + "/agent.sock"), let boot = BootID.current() else {
      throw LabFault("no agent can listen")
    }
    self.listener = listener
    self.faults = faults
    hello = AgentHello(
      run: 7, isSystem: true, hasEvents: hasEvents, hasSessions: hasSessions, hasInput: true, user: geteuid(),
      boot: boot, orders: nil)
    Thread.detachNewThread { [self] in work() }
  }

  /// Tells the node of something.
  func tell(_ event: AgentReport.Event) { content.withLock { $0.told.append(event) } }

  /// What nodes said first on the connections so far.
  struct Greetings {
    /// The connections with a welcome.
    var welcomes = 0
    /// The orders that came before a welcome.
    var early = 0
  }

  var greetings: Greetings { content.withLock { $0.greetings } }

  /// Ends the connection, so that the node connects again.
  func hangUp() { content.withLock { $0.isLeaving = true } }

  /// Ends the thread.
  func stop() { content.withLock { $0.isStopped = true } }

  private func work() {
    var connection: LocalSocket?
    var assembler = AgentFrameAssembler()
    var (number, isWelcome): (UInt64, Bool) = (0, false)
    func send(_ frame: AgentFrame) {
      var bytes = (try? frame.bytes())?[...] ?? []
      while !bytes.isEmpty, let count = connection?.write(bytes) { bytes = bytes.dropFirst(count) }
    }
    func report(_ event: AgentReport.Event) {
      number += 1
      send(.report(AgentReport(number: number, at: BootClock.now(), event: event)))
    }
    while !content.withLock({ $0.isStopped }) {
      var ready = pollfd(fd: (connection ?? listener).descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&ready, 1, 20)
      guard let present = connection else {
        connection = listener.accept()
        (assembler, isWelcome) = (AgentFrameAssembler(), false)
        send(.hello(hello))
        continue
      }
      let isLeaving = content.withLock { content in
        defer { content.isLeaving = false }
        return content.isLeaving
      }
      guard !isLeaving, let bytes = present.read() else {
        connection = nil
        continue
      }
      assembler.append(bytes)
      while let frame = try? assembler.next() {
        switch frame {
        case .welcome:
          isWelcome = true
          content.withLock { $0.greetings.welcomes += 1 }
        case .orders(let orders):
          if !isWelcome { content.withLock { $0.greetings.early += 1 } }
          for kind in orders.accounts.isEmpty ? [] : faults {
            report(.refused(orders: orders.number, OrderFault(kind, account: orders.accounts[0].account)))
          }
          report(.inForce(orders: orders.number))
        case .hello, .report, .stored: continue
        }
      }
      guard isWelcome else { continue }
      for event in content.withLock({ content in
        defer { content.told = [] }
        return content.told
      }) {
        report(event)
      }
    }
  }
}

import Testing

@testable import LatchkeyBridge

@Suite struct MQTTConnectionTests {
  @Test("A broker that confirms nothing loses the connection, which says so and keeps nothing", .timeLimit(.minutes(1)))
  func unconfirmed() async throws {
    let broker = try MuteBroker()
    let server = MQTTServer(
      host: "127.0.0.1", port: broker.port, username: nil, password: nil, authorities: nil, isEncrypted: false)
    let connection = try MQTTConnection(
      server, name: "test", will: ("latchkey/online/aa", "offline"), confirmSeconds: 1)
    var events = connection.events.makeAsyncIterator()
    guard case .connected? = await events.next() else {
      Issue.record("It was not accepted: \(String(describing: connection.fault))")
      return
    }
    let payload = [UInt8](repeating: 0, count: 1_000)
    let confirmed = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask { await connection.publish("latchkey/state/\(number)", payload, isRetained: true) }
      }
      return await group.contains(true)
    }
    #expect(!confirmed && connection.fault == .unconfirmed)
    #expect(await events.next() == nil && connection.hasEnded)
    #expect(await !connection.publish("latchkey/state/1", payload, isRetained: true))
    #expect(MQTTFault.unconfirmed.sentence(server).contains("does not confirm"))
    #expect(broker.received > 0)
  }
}

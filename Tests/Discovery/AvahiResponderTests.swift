import CAvahi
import Testing

@testable import LatchkeyDiscovery

/// Tests of a connection to avahi-daemon whose end no call-back tells, as when the bus dies between
/// two calls.
@Suite struct AvahiResponderTests {
  /// Returns functions that all have this result.
  private func functions(_ result: CInt, losses: Set<CInt>) -> AvahiFunctions {
    let made = result < 0 ? nil : OpaquePointer(bitPattern: 16)
    return AvahiFunctions(
      close: { _ in }, lastError: { _ in result }, losses: losses, textBeginsWithLast: false, resolvesAddresses: false,
      browseServices: { _, _, _, _, _ in made }, freeServiceBrowser: { _ in result },
      resolveService: { _, _, _, _, _, _, _ in made }, freeServiceResolver: { _ in result },
      browseRecords: { _, _, _, _, _ in made }, freeRecordBrowser: { _ in result },
      makeGroup: { _, _ in OpaquePointer(bitPattern: 16) }, freeGroup: { _ in result }, commit: { _ in result },
      addAddress: { _, _, _, _, _ in result }, addService: { _, _, _, _, _, _, _, _ in result },
      updateText: { _, _, _, _, _, _ in result }, addSharedText: { _, _, _, _ in result })
  }

  /// Returns the states that a connection reports after a use of it.
  private func states(
    _ result: CInt, losses: Set<CInt> = AvahiClient.losses, after use: (AvahiResponder) throws -> Void
  ) throws -> [ResponderState] {
    let loop = try DiscoveryLoop()
    var states: [ResponderState] = []
    var responder: AvahiResponder?
    responder = AvahiResponder(functions(result, losses: losses), loop: loop) {
      states.append($0)
      responder?.close()
    }
    responder?.connection = OpaquePointer(bitPattern: 8)
    try use(try #require(responder))
    loop.later { loop.quit() }
    #expect(loop.run())
    return states
  }

  private static let uses: [@Sendable (AvahiResponder) throws -> Void] = [
    { try? $0.makeGroup { _ in }.commit() },
    { try $0.makeGroup { _ in }.close() },
    { try? $0.makeGroup { _ in }.updateText(name: "a", type: "_a._tcp", text: [], interface: 1) },
    { _ = try? $0.browseServices(type: "_a._tcp", interface: 1) { _ in } },
    { _ = try? $0.browseRecords(name: "a.local", type: 16, interface: 1) { _ in } },
  ]

  @Test("Whatever call finds the connection gone, it is reported as failed", arguments: uses.indices)
  func loss(use: Int) throws {
    for error in AvahiClient.losses {
      #expect(try states(error, after: Self.uses[use]) == [.failed(AvahiError(error))])
    }
  }

  @Test("Other errors, and the same ones of the stack in this process, end no connection", arguments: uses.indices)
  func otherErrors(use: Int) throws {
    #expect(try states(CInt(AVAHI_ERR_COLLISION), after: Self.uses[use]).isEmpty)
    #expect(try states(CInt(AVAHI_ERR_BAD_STATE), losses: [], after: Self.uses[use]).isEmpty)
    #expect(try states(CInt(AVAHI_OK), after: Self.uses[use]).isEmpty)
  }
}

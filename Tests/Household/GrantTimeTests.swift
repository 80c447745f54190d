import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import LatchkeyWire
import Testing

/// Time that a parent grants for the rest of the day.
@Suite struct GrantTimeTests {
  private let coding = MessageBodyCoding()

  private func body(_ grant: GrantTime) -> CommandBody {
    var random = SeededRandom(seed: 1)
    return CommandBody(
      commandID: Samples.commandID(&random), author: Samples.deviceID(&random), createdAt: 1,
      payload: CommandPayload(grant))
  }

  @Test(arguments: [
    GrantTime(minutes: 1), GrantTime(minutes: 1_440, category: .reward), GrantTime(minutes: 30, app: AppID("a.b")),
  ])
  func aGrantTravelsAndIsAnsweredByItself(grant: GrantTime) throws {
    #expect(grant.fault == nil)
    #expect(try coding.command(coding.encode(body(grant))) == body(grant))
    let state = StateInForce(TimeGranted(grant, .recorded))
    #expect(try coding.state(coding.encode(state)) == state)
    let payload = CommandPayload(grant)
    #expect(ReceiptVerdict(.executed(state), of: payload) == .inForce(.recorded))
    let other = StateInForce(TimeGranted(GrantTime(minutes: 2), .recorded))
    #expect(ReceiptVerdict(.executed(other), of: payload) == .contradicts(other))
    // It happens once, and runs out after a day.
    #expect(payload.supersedeKey == nil && payload.usualLifetime == Limits.oneShotMilliseconds)
  }

  @Test(arguments: [
    GrantTime(minutes: 0), GrantTime(minutes: 1_441), GrantTime(minutes: -1),
    GrantTime(minutes: 5, app: AppID("a.b"), category: .learning),
  ])
  func whatIsNoGrant(grant: GrantTime) {
    #expect(grant.fault?.hasSuffix(".") == true && CommandDraft.grantTime(grant).fault == grant.fault)
    #expect(throws: BodyFault.self) { try coding.command(coding.encode(body(grant))) }
  }
}

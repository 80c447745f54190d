import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyNode

/// Tests of the common timer of all links.
@Suite struct LinkAlarmTests {
  private static func device(_ byte: UInt8) throws -> DeviceID {
    try #require(DeviceID(bytes: [UInt8](repeating: byte, count: DeviceID.size)))
  }

  @Test("Each link is woken once when due, earliest first, even if it asks while the alarm waits for a later one")
  func order() async throws {
    let (sooner, later) = (try Self.device(1), try Self.device(2))
    let alarm = LinkAlarm()
    let begun = BootClock.now()
    alarm.set(later, at: begun + 60)
    let (woken, continuation) = AsyncStream<DeviceID>.makeStream()
    let running = Task { await alarm.run(now: { BootClock.now() }, wake: { continuation.yield($0) }) }
    alarm.set(sooner, at: begun + 20)
    var order: [DeviceID] = []
    for await device in woken {
      order.append(device)
      if order.count == 2 { break }
    }
    running.cancel()
    await running.value
    #expect(order == [sooner, later])
    #expect(BootClock.now() - begun >= 60)
  }

  @Test("A new time for a link replaces the earlier one")
  func again() async throws {
    let device = try Self.device(1)
    let alarm = LinkAlarm()
    let begun = BootClock.now()
    alarm.set(device, at: begun + 3_600_000)
    alarm.set(device, at: begun)
    let (woken, continuation) = AsyncStream<DeviceID>.makeStream()
    let running = Task { await alarm.run(now: { BootClock.now() }, wake: { continuation.yield($0) }) }
    var first: DeviceID?
    for await device in woken {
      first = device
      break
    }
    running.cancel()
    await running.value
    #expect(first == device)
  }
}

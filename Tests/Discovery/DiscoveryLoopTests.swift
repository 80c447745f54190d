import Glibc
import Testing

@testable import LatchkeyDiscovery

struct DiscoveryLoopTests {
  private final class Log {
    var entries: [String] = []
  }

  @Test func timersFireInOrderAndOnce() throws {
    let loop = try DiscoveryLoop()
    let log = Log()
    loop.schedule(after: .milliseconds(20)) {
      log.entries.append("third")
      loop.quit()
    }
    loop.schedule(after: .milliseconds(10)) { log.entries.append("second") }
    loop.schedule(after: .zero) {
      log.entries.append("first")
      loop.later { log.entries.append("later") }
    }
    loop.schedule(after: .milliseconds(5)) { log.entries.append("never") }.cancel()
    #expect(loop.run())
    #expect(log.entries == ["first", "later", "second", "third"])
  }

  @Test func aTimerMayCancelAnotherThatIsDue() throws {
    let loop = try DiscoveryLoop()
    let log = Log()
    var victim: LoopTimer?
    loop.schedule(after: .zero) { victim?.cancel() }
    victim = loop.schedule(after: .zero) { log.entries.append("never") }
    loop.schedule(after: .milliseconds(5)) { loop.quit() }
    #expect(loop.run())
    #expect(log.entries.isEmpty)
  }

  @Test func theMailboxWakesTheLoopAndKeepsOnlyTheNewest() throws {
    let loop = try DiscoveryLoop()
    let mailbox = try LoopMailbox()
    let log = Log()
    let watch = try LoopWatch(mailbox.readEnd, on: loop) {
      for command in mailbox.take() {
        switch command {
        case .advertise(let advertisement): log.entries.append(advertisement?.instanceName ?? "nothing")
        case .lookAgain: log.entries.append("look")
        case .attend(let attention): log.entries.append("attend \(attention)")
        case .stop: loop.quit()
        }
      }
    }
    defer { watch.close() }
    for number in 0..<10_000 {
      mailbox.post(.advertise(ServiceAdvertisement(instanceName: "n\(number)", port: 1, text: [:])))
    }
    for _ in 0..<10_000 { mailbox.post(.lookAgain) }
    for attention in [Attention.none, .patient(crowd: 9, misses: true), .full] { mailbox.post(.attend(attention)) }
    mailbox.post(.stop)
    #expect(loop.run())
    #expect(log.entries == ["n9999", "attend full", "look"])
  }

  @Test func onlyJumpsOfTheClockAreNoticed() {
    func reading(wall: Int, awake: Int, elapsed: Int) -> ClockJump.Reading {
      ClockJump.Reading(wall: .seconds(wall), awake: .seconds(awake), elapsed: .seconds(elapsed))
    }
    var clock = ClockJump(reading(wall: 1000, awake: 50, elapsed: 50))
    func expect(_ reading: ClockJump.Reading, _ jump: Bool, _ why: Comment? = nil) {
      let noticed = clock.noticed(at: reading)
      #expect(noticed == jump, why)
    }
    expect(reading(wall: 4600, awake: 3650, elapsed: 3650), false, "an hour passed")
    expect(reading(wall: 4703, awake: 3750, elapsed: 3750), false, "slewed by three seconds")
    expect(reading(wall: 1, awake: 3751, elapsed: 3751), true, "set back")
    expect(reading(wall: 2, awake: 3752, elapsed: 3752), false)
    expect(reading(wall: 99_999_999, awake: 3753, elapsed: 3753), true, "set forward")
    expect(reading(wall: 100_000_099, awake: 3753, elapsed: 3853), true, "slept")
    expect(reading(wall: 100_000_100, awake: 3754, elapsed: 3854), false)
  }

  @Test func backoffDoublesUpToItsEndAndForgets() {
    var backoff = Backoff(first: .seconds(1), last: .seconds(5))
    let delays = (0..<4).map { _ in backoff.delay() }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(5)])
    #expect(backoff.attempts == 4)
    backoff.reset()
    let first = backoff.delay()
    #expect(first == .seconds(1))
  }

  /// Both libraries export `avahi_entry_group_free`; visible to the whole program, one would call the other's.
  @Test func neitherAvahiLibraryIsVisibleToTheOther() throws {
    _ = try ClientLibrary.load()
    _ = try CoreLibrary.load()
    let program = dlopen(nil, RTLD_NOW)
    #expect(dlsym(program, "avahi_simple_poll_new") != nil)
    #expect(dlsym(program, "avahi_entry_group_free") == nil, "do not link libavahi-client or libavahi-core")
  }
}

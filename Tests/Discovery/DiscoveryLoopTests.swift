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

  /// Both libraries export `avahi_entry_group_free`; visible to the whole program, one would call
  /// the other's.
  @Test func neitherAvahiLibraryIsVisibleToTheOther() throws {
    _ = try AvahiClient.library.get()
    _ = try AvahiServer.library.get()
    let program = dlopen(nil, RTLD_NOW)
    #expect(dlsym(program, "avahi_simple_poll_new") != nil)
    #expect(dlsym(program, "avahi_entry_group_free") == nil, "do not link libavahi-client or libavahi-core")
  }
}

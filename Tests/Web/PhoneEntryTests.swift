import LatchkeyModel
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

@Suite("How a phone is let in")
struct PhoneEntryTests {
  private static let code = PhoneCode.text([UInt8](repeating: 7, count: PhoneCode.bytes))

  private func open() -> PhoneEntry {
    var entry = PhoneEntry()
    entry.open(now: 0)
    entry.offer(Self.code, now: 0)
    return entry
  }

  private func use(
    _ entry: inout PhoneEntry, _ code: String = Self.code, secret: String = "s", digits: Int = 42, now: Int64 = 1
  ) -> PhoneEntry.Outcome {
    entry.use(code, secret: secret, digits: digits, address: "192.168.1.20", kind: "iPhone", now: now)
  }

  private func answer(_ entry: inout PhoneEntry, _ digits: Int, _ cookie: String?, now: Int64) -> Bool {
    entry.answer(digits: digits, cookie: cookie, now: now)
  }

  private func standing(_ entry: inout PhoneEntry, _ secret: String, now: Int64) -> PhoneEntry.Standing {
    entry.standing(secret: secret, now: now)
  }

  @Test("A phone with the code waits, and gets its cookie once after the yes")
  func whole() {
    var entry = open()
    #expect(entry.isOpen(1) && entry.codeLeft(1) == PhoneEntry.codeMilliseconds - 1)
    #expect(use(&entry) == .claimed)
    #expect(entry.codeLeft(2) == 0 && entry.waiting(2)?.digits == 42)
    #expect(standing(&entry, "s", now: 2) == .waiting(digits: 42))
    #expect(standing(&entry, "t", now: 2) == .over)
    #expect(answer(&entry, 42, "c", now: 3))
    #expect(entry.waiting(4) == nil)
    #expect(standing(&entry, "t", now: 4) == .over)
    #expect(standing(&entry, "s", now: 4) == .letIn(cookie: "c"))
    #expect(standing(&entry, "s", now: 5) == .over)
  }

  @Test("A code lets one phone come, within a minute")
  func once() {
    var entry = open()
    #expect(use(&entry, now: PhoneEntry.codeMilliseconds) == .over)
    entry = open()
    #expect(use(&entry, now: PhoneEntry.codeMilliseconds - 1) == .claimed)
    #expect(use(&entry, secret: "other", digits: 11, now: PhoneEntry.codeMilliseconds - 1) == .over)
    // The first phone is the one that waits.
    #expect(entry.waiting(PhoneEntry.codeMilliseconds)?.digits == 42)
    var closed = PhoneEntry()
    #expect(use(&closed) == .unknown && !closed.isOpen(0))
  }

  @Test("Wrong codes, of which anybody in the network can send any number, do not end the right one")
  func wrong() {
    var entry = open()
    for number in 0..<1_000 { #expect(use(&entry, "wrong \(number)") == .unknown) }
    #expect(entry.codeLeft(1) == PhoneEntry.codeMilliseconds - 1)
    #expect(use(&entry) == .claimed)
    entry.offer("another", now: 2)
    #expect(use(&entry, now: 3) == .over && use(&entry, "another", now: 3) == .claimed)
  }

  @Test("The yes is for the phone whose digits were seen, in time, and a no turns it away")
  func answers() {
    var entry = open()
    #expect(!answer(&entry, 42, "c", now: 1))
    #expect(use(&entry) == .claimed)
    #expect(!answer(&entry, 43, "c", now: 2))
    #expect(!answer(&entry, 42, "c", now: 1 + PhoneEntry.answerMilliseconds))
    #expect(standing(&entry, "s", now: 1 + PhoneEntry.answerMilliseconds) == .over)
    entry = open()
    #expect(use(&entry) == .claimed)
    #expect(answer(&entry, 42, nil, now: 2))
    #expect(standing(&entry, "s", now: 3) == .over && entry.waiting(3) == nil)
  }

  @Test("A new code ends the waiting of the phone before, and the end lets none come")
  func ends() {
    var entry = open()
    #expect(use(&entry) == .claimed)
    entry.offer("another", now: 2)
    #expect(standing(&entry, "s", now: 3) == .over)
    entry.close()
    #expect(use(&entry, "another", now: 4) == .over && !entry.isOpen(4))
    entry.open(now: 5)
    #expect(!entry.isOpen(5 + PhoneEntry.openMilliseconds) && entry.isOpen(4 + PhoneEntry.openMilliseconds))
  }

  @Test("A code can be typed in any case, without hyphens, and with letters for digits")
  func typed() {
    let code = PhoneCode.text([0, 0, 0, 0, 0, 0x84, 0x21, 0x08, 0x42, 0x10])
    #expect(code.count == 19 && PhoneCode.read(code) == code)
    #expect(PhoneCode.read(code.lowercased().split(separator: "-").joined(separator: " ")) == code)
    #expect(PhoneCode.read("O0l1-iL2z") == "0011-112Z")
    #expect(PhoneCode.read("") == "" && PhoneCode.read("é-\u{202E}") == "")
  }

  @Test("Where phones find the pages is read as it was written, and nothing malformed is")
  func place() {
    let place = PhonePlace(
      name: "lk-7f3k.local", port: 21_000, trustPort: 21_001, addresses: ["192.168.1.5", "fd00::1"])
    #expect(PhonePlace(place.text) == place && place.link == "https://192.168.1.5:21000/")
    #expect(PhonePlace.host("fd00::1", 21_000) == "[fd00::1]:21000")
    for text in [
      "", "a\n1\n1\n\n", "a\n0\n1\n\n", "a\n1\n70000\n\n", "a\n1\n2\nexample.com\n", "a\n1\n2\n", "\n1\n2\n\n",
    ] {
      #expect(PhonePlace(text) == nil, "\(text)")
    }
    #expect(PhonePlace("a\n1\n2\n\n")?.link == nil)
  }

  @Test("One address of the network cannot take all connections")
  func connections() {
    let counter = PhoneCounter()
    for _ in 0..<PhoneCounter.connections.one { #expect(counter.begin("10.0.0.1")) }
    #expect(!counter.begin("10.0.0.1") && counter.begin("10.0.0.2"))
    counter.end("10.0.0.1")
    #expect(counter.begin("10.0.0.1") && !counter.begin("10.0.0.1"))
  }

  @Test("One address, or a proxy, does not take the room for all requests, and gives its own back")
  func requests() {
    let counter = PhoneCounter()
    let bound = PhoneCounter.requests
    for (address, most) in [("10.0.0.1", bound.one), (PhoneService.proxyAddress, bound.proxy)] {
      for _ in 0..<most { #expect(counter.ask(address)) }
      #expect(!counter.ask(address) && counter.ask("10.0.0.2"))
      counter.answered("10.0.0.2")
      for _ in 0..<most { counter.answered(address) }
    }
    for number in 1...bound.all / bound.one {
      for _ in 0..<bound.one { #expect(counter.ask("10.0.1.\(number)")) }
    }
    #expect(!counter.ask("10.0.0.2"))
    counter.answered("10.0.1.1")
    #expect(counter.ask("10.0.0.2") && !counter.ask("10.0.0.2"))
  }
}

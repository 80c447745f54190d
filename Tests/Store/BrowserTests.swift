import GRDB
import LatchkeyModel
import LatchkeyStore
import Testing

/// Tests of the browsers that a parent has let in, and of what is written about their deeds.
@Suite struct BrowserTests {
  private let rig: StoreRig

  init() throws { rig = try StoreRig() }

  private func listing(_ id: String, _ label: String) -> BrowserListing {
    BrowserListing(browserID: id, label: label, right: .parent, madeAt: 1, lastSeen: 1, address: "192.168.1.20")
  }

  private func addReceiver(_ name: String, through browser: String?) async throws {
    let receiver = StoredReceiver(name: name, kind: .mqtt, rights: [], most: ReceiverGift(), addedAt: 1)
    let token = rig.random.bytes(32)
    let store = rig.store
    try await Through.$browser.withValue(browser) { _ = try await store.setReceiver(receiver, token: token) }
  }

  @Test("The audit names the browser through which something was done, and no other deed of the same transaction")
  func audit() async throws {
    // Both may be committed together.
    try await addReceiver("a", through: "Anna's phone")
    try await addReceiver("b", through: nil)
    let entries = try rig.look {
      try String.fetchAll(
        $0, sql: "SELECT target || ' ' || ifnull(through, '-') FROM audit WHERE action = 'receiver.set' ORDER BY number"
      )
    }
    #expect(entries == ["a Anna's phone", "b -"])
  }

  @Test("A browser is known by its cookie's hash, also after a restart, until it is removed")
  func known() async throws {
    let (phone, cookie) = (listing("00", "Anna's phone"), rig.random.bytes(32))
    #expect(try await rig.store.addBrowser(phone, cookie: cookie) == .added)
    #expect(try await rig.store.addBrowser(listing("01", "Anna's phone"), cookie: rig.random.bytes(32)) == .labelTaken)
    try rig.reopen()
    #expect(try await rig.store.browser(cookie: cookie) == phone)
    #expect(try await rig.store.browser(cookie: rig.random.bytes(32)) == nil)
    try await rig.store.sawBrowser("00", at: 9, from: "10.0.0.9")
    #expect(try await rig.store.browsers().map(\.lastSeen) == [9])
    #expect(try await rig.store.removeBrowser("00", at: 10))
    #expect(try await rig.store.browser(cookie: cookie) == nil)
    #expect(try await !rig.store.removeBrowser("00", at: 11))
    let actions = try rig.look { try String.fetchAll($0, sql: "SELECT action FROM audit ORDER BY number") }
    #expect(actions == ["browser.let-in", "browser.removed"])
  }
}

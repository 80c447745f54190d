import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

extension Call {
  /// The time for which a browser that asks again is not written down again, in milliseconds.
  private static let seenMilliseconds: Int64 = 60_000

  func add(_ new: NewBrowser) async throws -> BrowserListing {
    guard let digest = Hexadecimal.decode(new.cookieHash) else { throw Self.noSuchBrowser }
    let now = context.wall()
    let browser = BrowserListing(
      browserID: Hexadecimal.encode(SecureRandom.bytes(8)), label: new.label, right: new.right, madeAt: now,
      lastSeen: now, address: new.address)
    switch try await store.addBrowser(browser, cookie: digest) {
    case .added: break
    case .labelTaken:
      throw LocalAPIError(
        .limit,
        phrase: Phrase(
          "Another phone is called “{name}”: give this one another name.", ["name": .text("\(new.label)")]))
    case .tooMany:
      throw LocalAPIError(
        .limit,
        phrase: Phrase(
          "{count} phones are let in, as many as a node keeps: remove one of them first.",
          ["count": .number(Store.mostBrowsers)]))
    }
    context.feed.post(ChangeEvent(.browser))
    return browser
  }

  func removeBrowser(_ text: String) async throws -> [BrowserListing] {
    guard let browser = try await store.browsers().first(where: { $0.browserID == text || $0.label == text }) else {
      throw Self.noSuchBrowser
    }
    try await remove(browser)
    return try await store.browsers()
  }

  /// Notes that the calling browser asks for something.
  func see(from address: String) async throws -> BrowserListing {
    guard var browser = caller.browser else { throw ControlFailure.unknownBrowser.error }
    let now = context.wall()
    if browser.address != address || abs(now - browser.lastSeen) >= Self.seenMilliseconds {
      try await store.sawBrowser(browser.browserID, at: now, from: address)
      (browser.lastSeen, browser.address) = (now, address)
    }
    return browser
  }

  /// Removes the calling browser.
  func leave() async throws -> BrowserListing {
    guard let browser = caller.browser else { throw ControlFailure.unknownBrowser.error }
    try await remove(browser)
    return browser
  }

  private func remove(_ browser: BrowserListing) async throws {
    guard try await store.removeBrowser(browser.browserID, at: context.wall()) else { throw Self.noSuchBrowser }
    // Its streams end at the next change.
    context.feed.post(ChangeEvent(.browser))
  }

  private static let noSuchBrowser = LocalAPIError(
    .unknownItem, phrase: "No phone of that name is let in: `latchkey browsers` lists them.")
}

extension NodeService {
  /// Returns the browser whose cookie the pages give, as `Bearer COOKIE`; `nil` for none.
  func browser(authorized header: String?) async -> BrowserListing? {
    let scheme = "Bearer "
    guard let header, header.hasPrefix(scheme) else { return nil }
    let digest = SHA256.hash(Array(header.dropFirst(scheme.count).utf8))
    do { return try await context.store.browser(cookie: digest) } catch { return nil }
  }
}

import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// The browsers that a parent has let in, such as those of phones.
///
/// Spec: Protocol/15-pages.md §7.
extension Endpoints {
  static let browserRoutes: [any ServedEndpoint] = [getBrowsers, addBrowser, deleteBrowser, seeBrowser, leaveBrowser]

  private static let browsers = Route.Place.parent("Phones are let in at a parent's machine: run this there.")

  package static let getBrowsers = Endpoint(
    .get, "/v1/browsers", on: browsers, summary: "The browsers that were let in, on a parent, oldest first."
  ) { call in try await call.store.browsers() }

  package static let addBrowser = Endpoint(
    .post, "/v1/browsers", Body.json(NewBrowser.self), on: browsers, created: true, errors: [.limit],
    summary: "Lets a browser in, on a parent, which is known by its cookie from then on."
  ) { call, browser in try await call.add(browser) }

  package static let deleteBrowser = Endpoint(
    .delete, "/v1/browsers/{browser}", Path.browser, on: browsers, errors: [.unknownItem],
    summary: "Removes a browser, on a parent. Its cookie is worth nothing at once, and its streams end."
  ) { call, browser in try await call.removeBrowser(browser) }

  package static let seeBrowser = Endpoint(
    .post, "/v1/browser/seen", Body.json(BrowserSeen.self), whoMay: [], browsers: .look, on: browsers,
    summary: "Says that a browser asks for something, and returns what it may do, on a parent."
  ) { call, seen in try await call.see(from: seen.address) }

  package static let leaveBrowser = Endpoint(
    .delete, "/v1/browser", whoMay: [], browsers: .look, on: browsers,
    summary: "Signs the browser out that asks for it, on a parent."
  ) { call in
    guard let browser = call.caller.browser else { throw ControlFailure.unknownBrowser.error }
    try await call.remove(browser)
    return browser
  }
}

extension Call {
  /// Milliseconds for which a browser that asks again is not written down again.
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
        .limit, phrase: "Another phone is called “{name}”: give this one another name.",
        ["name": .text("\(new.label)")])
    case .tooMany:
      throw LocalAPIError(
        .limit, phrase: "{count} phones are let in, as many as a node keeps: remove one of them first.",
        ["count": .number(Store.mostBrowsers)])
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

  func see(from address: String) async throws -> BrowserListing {
    guard var browser = caller.browser else { throw ControlFailure.unknownBrowser.error }
    let now = context.wall()
    if browser.address != address || abs(now - browser.lastSeen) >= Self.seenMilliseconds {
      try await store.sawBrowser(browser.browserID, at: now, from: address)
      (browser.lastSeen, browser.address) = (now, address)
    }
    return browser
  }

  fileprivate func remove(_ browser: BrowserListing) async throws {
    guard try await store.removeBrowser(browser.browserID, at: context.wall()) else { throw Self.noSuchBrowser }
    // Its streams end at the next change.
    context.feed.post(ChangeEvent(.browser))
  }

  private static let noSuchBrowser = LocalAPIError(
    .unknownItem, phrase: "No phone of that name is let in: `latchkey browsers` lists them.")
}

extension NodeService {
  func browser(authorized header: String?) async -> BrowserListing? {
    guard let digest = Self.digest(ofBearer: header) else { return nil }
    do { return try await context.store.browser(cookie: digest) } catch { return nil }
  }
}

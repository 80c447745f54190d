import LatchkeyModel

/// The browsers that a parent has let in, such as those of phones.
///
/// Spec: Protocol/15-pages.md §7.
extension Endpoints {
  static let browserRoutes: [any ServedEndpoint] = [getBrowsers, addBrowser, deleteBrowser, seeBrowser, leaveBrowser]

  package static let getBrowsers = Endpoint(
    .get, "/v1/browsers", on: .browsers, summary: "The browsers that were let in, on a parent, oldest first."
  ) { call in
    try await call.store.browsers()
  }

  package static let addBrowser = Endpoint(
    .post, "/v1/browsers", Body.json(NewBrowser.self), on: .browsers, created: true, errors: [.limit],
    summary: "Lets a browser in, on a parent, which is known by its cookie from then on."
  ) { call, browser in
    try await call.add(browser)
  }

  package static let deleteBrowser = Endpoint(
    .delete, "/v1/browsers/{browser}", Path.browser, on: .browsers, errors: [.unknownItem],
    summary: "Removes a browser, on a parent. Its cookie is worth nothing at once, and its streams end."
  ) { call, browser in
    try await call.removeBrowser(browser)
  }

  package static let seeBrowser = Endpoint(
    .post, "/v1/browser/seen", Body.json(BrowserSeen.self), whoMay: [], browsers: .look, on: .browsers,
    summary: "Says that a browser asks for something, and returns what it may do, on a parent."
  ) { call, seen in
    try await call.see(from: seen.address)
  }

  package static let leaveBrowser = Endpoint(
    .delete, "/v1/browser", whoMay: [], browsers: .look, on: .browsers,
    summary: "Signs the browser out that asks for it, on a parent."
  ) { call in
    try await call.leave()
  }
}

extension Route.Place {
  fileprivate static let browsers = Route.Place.parent(
    "Phones are let in at a parent's machine: run this there.")
}

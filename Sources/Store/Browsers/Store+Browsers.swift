import GRDB
import LatchkeyModel

/// The browsers that a parent has let in. Spec: Protocol/15-pages.md §7.
extension Store {
  public static let mostBrowsers = 16

  public enum BrowserEntry: Hashable, Sendable {
    case added
    /// Another browser has the label.
    case labelTaken
    /// There is no room for one more.
    case tooMany
  }

  /// Lets a browser in; `digest` is the SHA-256 of its cookie, 32 bytes.
  public func addBrowser(_ browser: BrowserListing, cookie digest: [UInt8]) async throws(StoreError) -> BrowserEntry {
    try await commits.commit { [own] database in
      let count = try database.integer("SELECT count(*) FROM browser") ?? 0
      guard count < Self.mostBrowsers else { return .tooMany }
      if try database.exists("SELECT 1 FROM browser WHERE label = ?", [browser.label]) { return .labelTaken }
      try database.run(
        "INSERT INTO browser VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          browser.browserID, browser.label, browser.right.rawValue, browser.madeAt, browser.lastSeen, browser.address,
          digest,
        ])
      try database.audit("browser.let-in", of: browser.label, new: browser.right.rawValue, by: own, at: browser.madeAt)
      return .added
    }
  }

  /// Removes a browser, and returns whether there was one of that ID.
  public func removeBrowser(_ id: String, at wall: Int64) async throws(StoreError) -> Bool {
    try await commits.commit { [own] database in
      guard let label = try database.first("SELECT label FROM browser WHERE browser_id = ?", [id], { $0.text(0) })
      else { return false }
      try database.run("DELETE FROM browser WHERE browser_id = ?", [id])
      try database.audit("browser.removed", of: label, by: own, at: wall)
      return true
    }
  }

  /// Keeps when and from where a browser asked last.
  public func sawBrowser(_ id: String, at wall: Int64, from address: String) async throws(StoreError) {
    try await commits.commit { database in
      try database.run("UPDATE browser SET last_seen = ?, address = ? WHERE browser_id = ?", [wall, address, id])
    }
  }

  /// Returns the browsers in the order in which they were let in.
  public func browsers() async throws(StoreError) -> [BrowserListing] {
    try await read { database in
      try database.all(Database.browserRows + " ORDER BY made_at, browser_id") { $0.browser }
    }
  }

  /// Returns the browser whose cookie has this digest; `nil` if there is none.
  public func browser(cookie digest: [UInt8]) async throws(StoreError) -> BrowserListing? {
    try await read { try $0.first(Database.browserRows + " WHERE cookie = ?", [digest], { $0.browser }) ?? nil }
  }
}

extension Database {
  fileprivate static var browserRows: String {
    "SELECT browser_id, label, may, made_at, last_seen, address FROM browser"
  }
}

extension Columns {
  /// The browser of a row; `nil` for one with a right that is not known.
  fileprivate var browser: BrowserListing? {
    guard let right = BrowserRight(rawValue: text(2)) else { return nil }
    return BrowserListing(
      browserID: text(0), label: text(1), right: right, madeAt: integer(3), lastSeen: integer(4), address: text(5))
  }
}

/// The browser through which a person acts on this machine.
///
/// Audit entries and commands carry its label, whichever route the request takes.
public enum Through {
  /// The label of the browser that made the request; `nil` for this machine's own programs.
  @TaskLocal public static var browser: String?
}

/// A right of a browser that a parent let in, such as that of a phone.
public enum BrowserRight: String, Hashable, Sendable, Codable, CaseIterable {
  /// Everything that a parent does from day to day. Only the machine itself changes the members of
  /// the household, pairs and erases machines, and lets other browsers in.
  case parent
  case look
}

/// A browser that was let in, as `GET /v1/browsers` shows it.
///
/// Spec: Protocol/15-pages.md §7.
public struct BrowserListing: Hashable, Sendable, Codable {
  /// 16 hexadecimal digits.
  public var browserID: String
  /// What a person calls it, such as `Anna's phone`.
  public var label: String
  public var right: BrowserRight
  /// When it was let in, in Unix milliseconds.
  public var madeAt: Int64
  /// The time of its last request in Unix milliseconds, to the minute.
  public var lastSeen: Int64
  public var address: String

  public init(browserID: String, label: String, right: BrowserRight, madeAt: Int64, lastSeen: Int64, address: String) {
    (self.browserID, self.label, self.right) = (browserID, label, right)
    (self.madeAt, self.lastSeen, self.address) = (madeAt, lastSeen, address)
  }
}

/// `POST /v1/browsers`: a browser that a parent lets in.
public struct NewBrowser: Hashable, Sendable, Codable, CheckedRequest {
  /// 1 to 64 bytes.
  public var label: String
  public var right: BrowserRight
  /// The address from which it was let in.
  public var address: String
  /// The SHA-256 of its cookie, 64 hexadecimal digits.
  public var cookieHash: String

  public init(label: String, right: BrowserRight, address: String, cookieHash: String) {
    (self.label, self.right, self.address, self.cookieHash) = (label, right, address, cookieHash)
  }

  public var textFault: String? {
    if let fault = TextRule.browserLabel.fault(in: label) ?? TextRule.browserAddress.fault(in: address) { return fault }
    let digest = Hexadecimal.decode(cookieHash)
    return digest?.count == 32 ? nil : "The hash of the cookie is 64 hexadecimal digits: give a SHA-256."
  }
}

/// `POST /v1/browser/seen`: a report that a browser made a request.
public struct BrowserSeen: Hashable, Sendable, Codable, CheckedRequest {
  public var address: String

  public init(address: String) { self.address = address }

  public var textFault: String? { TextRule.browserAddress.fault(in: address) }
}

extension TextRule {
  public static let browserLabel = TextRule(
    what: "The browser's name", bytes: 1...Limits.nameBytes, characters: .visible)
  /// An IP address, as the pages see it.
  fileprivate static let browserAddress = TextRule(what: "The browser's address", bytes: 1...64, characters: .visible)
}

import LatchkeyModel

/// A page of the audit, the newest entries first.
package struct AuditPage: Hashable, Sendable, Codable {
  package var entries: [AuditEntry]
  /// The `before` of the next page; `nil` on the last page.
  package var next: Int64?
}

/// Who did what on this machine, or to what it holds.
package struct AuditEntry: Hashable, Sendable, Codable {
  package var number: Int64
  /// Unix milliseconds.
  package var at: Int64
  /// The name of the device that did it.
  package var by: DeviceName
  /// A word, such as `register.set`.
  package var action: String
  /// The name of the device or receiver that it was done to, or `family`; empty if `childName` or
  /// `deviceName` says it.
  package var target: String
  /// The child whom it is about; `nil` for none.
  package var childName: DeviceName?
  /// The machine that it is about; `nil` for none.
  package var deviceName: DeviceName?
  /// What was set, for people; `nil` for another action than `register.set`.
  package var words: String?
  /// The same as a phrase.
  package var phrase: Phrase?
  /// What there was before, for people; `nil` for nothing.
  package var old: String?
  /// The same as a phrase; `nil` for another action than `register.set` as well.
  package var oldPhrase: Phrase?
  /// What there is now, for people; `nil` for nothing.
  package var new: String?
  /// The name of the browser through which it was done; `nil` for the device itself.
  package var through: String?
}

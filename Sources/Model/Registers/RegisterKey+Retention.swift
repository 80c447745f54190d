extension RegisterKey {
  /// The family's day that the register is for, if its key is `today/DATE/…`; `nil` for any other
  /// key.
  ///
  /// Such a register is forgotten some days after that day.
  public var day: FamilyDay? {
    guard text.utf8.starts(with: "today/".utf8) else { return nil }
    let parts = segments
    return parts.count >= 3 ? FamilyDay(String(parts[1])) : nil
  }

  /// Returns whether this key is kept in preference to another one when a zone is full.
  ///
  /// Keys without a day come before those with one, and among the latter those of a later day come
  /// first. Otherwise, fewer segments come first, then the order of the bytes. A key is therefore
  /// displaced only by keys that are forgotten no earlier than itself, which makes the result
  /// independent of the order of arrival.
  ///
  /// Spec: Protocol/10-household.md §2.
  public func isKept(before other: RegisterKey) -> Bool {
    switch (day, other.day) {
    case (nil, nil): break
    case (nil, .some): return true
    case (.some, nil): return false
    case (let own?, let others?) where own != others: return own > others
    case (.some, .some): break
    }
    let counts = (segments.count, other.segments.count)
    return counts.0 != counts.1 ? counts.0 < counts.1 : self < other
  }
}

import LatchkeyModel

/// Addresses of a paired machine, in words.
enum AddressText {
  /// Returns a paragraph for each address: where it is, how it was learnt, and how the last tries
  /// ended.
  static func lines(_ addresses: [DeviceAddress], now: Int64) -> [String] {
    addresses.map { address in
      var parts = [learnt(address.source)]
      if address.isInUse { parts.append("in use") }
      if address.isOfThisNetwork == false { parts.append("on another network") }
      if let at = address.lastSuccessAt {
        if !address.isInUse { parts.append("worked \(ShownText.ago(at, now: now))") }
      } else {
        // The other machine may have called from there all the same.
        parts.append(address.isInUse ? "never called by this machine" : "not reached there yet")
      }
      var text = "\(address.address): \(parts.joined(separator: ", "))"
      if let at = address.lastFailureAt {
        text += "; failed \(ShownText.ago(at, now: now))"
        if let failure = address.failure { text += ": \(failure)" }
      }
      return text
    }
  }

  static func learnt(_ source: AddressSource) -> String {
    switch source {
    case .code: "from the pairing code"
    case .connection: "from a session"
    case .mdns: "announced over mDNS"
    case .given: "given with --peer"
    case .told: "told by another machine"
    }
  }
}

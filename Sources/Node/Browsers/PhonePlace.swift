import LatchkeySystem

/// Where phones find the pages: what the process of the pages keeps in the state folder, and what
/// bridges and `latchkey doctor` read there.
///
/// The ports stay the same, so that bookmarks hold.
///
/// Spec: Protocol/15-pages.md §8.
package struct PhonePlace: Hashable, Sendable {
  /// The name that stands in certificates beside addresses, such as `lk-7f3k2m.local`.
  package var name: String
  package var port: Int
  /// The port of the trust step, which is open only while a phone is being let in.
  package var trustPort: Int
  /// The addresses at which the pages can be reached; empty while no phone is let in.
  package var addresses: [String]

  package init(name: String, port: Int, trustPort: Int, addresses: [String] = []) {
    (self.name, self.port, self.trustPort, self.addresses) = (name, port, trustPort, addresses)
  }

  package static func folder(in stateFolder: String) -> String { stateFolder + "/web" }

  private static func path(in stateFolder: String) -> String { folder(in: stateFolder) + "/place" }

  package var text: String { "\(name)\n\(port)\n\(trustPort)\n\(addresses.joined(separator: " "))\n" }

  package init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 5, !lines[0].isEmpty, let port = Int(lines[1]), let trustPort = Int(lines[2]),
      (1...65_535).contains(port), (1...65_535).contains(trustPort), port != trustPort
    else { return nil }
    let addresses = lines[3].split(separator: " ").map(String.init)
    guard addresses.allSatisfy({ IPAddress($0) != nil }) else { return nil }
    self.init(name: String(lines[0]), port: port, trustPort: trustPort, addresses: addresses)
  }

  /// Reads what is kept in a state folder; `nil` if no phone was ever let in there.
  package static func read(in stateFolder: String) -> PhonePlace? {
    ProcFile.text(path(in: stateFolder), most: 4_096).flatMap { PhonePlace($0) }
  }

  /// Keeps it in a state folder that has one for phones; returns whether it could be written.
  package func write(in stateFolder: String) -> Bool {
    ProcFile.replace(Self.path(in: stateFolder), with: Array(text.utf8))
  }

  package static func link(_ scheme: String, _ address: String, _ port: Int) -> String {
    "\(scheme)://\(host(address, port))/"
  }

  /// Returns what a browser names as the host: an address of version 6 stands in brackets.
  package static func host(_ address: String, _ port: Int) -> String {
    address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
  }

  /// The address at which phones open the pages; `nil` while no phone is let in.
  package var link: String? { addresses.first.map { Self.link("https", $0, port) } }
}

import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The host names under which a person's own proxy, such as `tailscale serve`, leads to the pages.
///
/// They are in a file of the folder for phones, one a line. The file is read at each request that
/// uses a name. So a name that was removed is refused at once.
///
/// Spec: Protocol/15-pages.md §9.
public struct ProxyHosts: Sendable {
  /// The largest number of allowed names.
  public static let most = 8

  private let stateFolder: String

  /// Creates the list of a node.
  public init(stateFolder: String) { self.stateFolder = stateFolder }

  private var path: String { PhonePlace.folder(in: stateFolder) + "/hosts" }

  /// The names, in the order in which they were allowed.
  public var names: [String] {
    let text = ProcFile.text(path, most: 4_096) ?? ""
    return Array(text.split(separator: "\n").compactMap { Self.name(String($0)) }.prefix(Self.most))
  }

  /// Returns a host name as browsers send it, in lower case and without the port 443; `nil` if it
  /// cannot be a proxy's name.
  public static func name(_ typed: String) -> String? {
    let parts = typed.lowercased().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let host = parts.first, host.utf8.count <= 253 else { return nil }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    // An address is not a name. Browsers reach this machine's addresses without a proxy.
    guard labels.allSatisfy(isLabel), let last = labels.last, !last.allSatisfy(\.isNumber), last != "localhost" else {
      return nil
    }
    guard parts.count == 2 else { return String(host) }
    guard let port = Int(parts[1]), (1...65_535).contains(port), String(port) == parts[1] else { return nil }
    return port == 443 ? String(host) : "\(host):\(port)"
  }

  private static func isLabel(_ label: Substring) -> Bool {
    guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
    return label.utf8.allSatisfy {
      $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-")
    }
  }

  /// Allows a name in the form of `name(_:)`.
  ///
  /// Returns whether it was not allowed before.
  ///
  /// - Throws: `WebFault` if there are too many, or if the file cannot be written.
  public func add(_ name: String) throws(WebFault) -> Bool {
    let present = names
    guard !present.contains(name) else { return false }
    guard present.count < Self.most else {
      throw WebFault("\(Self.most) names are allowed already: remove one with `latchkey web hosts remove`.")
    }
    try CertificateFolder(stateFolder: stateFolder).prepare()
    try write(present + [name])
    return true
  }

  /// Removes a name in the form of `name(_:)`.
  ///
  /// Returns whether it was allowed before.
  ///
  /// - Throws: `WebFault` if the file cannot be written.
  public func remove(_ name: String) throws(WebFault) -> Bool {
    let present = names
    guard present.contains(name) else { return false }
    try write(present.filter { $0 != name })
    return true
  }

  private func write(_ names: [String]) throws(WebFault) {
    guard !ProcFile.replace(path, with: Array(names.map { $0 + "\n" }.joined().utf8)) else { return }
    throw WebFault("\(path) cannot be written (\(SystemError.reason())): check the folder's rights and the disk.")
  }
}

/// The private address ranges, and this machine's addresses in them.
enum PrivateAddresses {
  /// The ranges for which a family's authority may sign, as `ADDRESS/MASK`.
  static let ranges = ["10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0", "fc00::/fe00::"]
  /// The range of the loopback interface, for a node that a person lets listen only there.
  static let loopback = "127.0.0.0/255.0.0.0"

  /// Returns whether an address lies in one of the ranges.
  static func contains(_ address: IPAddress) -> Bool {
    let bytes = address.bytes
    guard address.isV4 else { return bytes[0] & 0xFE == 0xFC }
    return bytes[0] == 10 || (bytes[0] == 172 && bytes[1] & 0xF0 == 16) || (bytes[0] == 192 && bytes[1] == 168)
  }

  /// Returns the addresses of this machine at which phones can reach it, in the order of its
  /// interfaces, IPv4 first.
  ///
  /// `chosen` are the interfaces that a person chose for the node; `nil` if a person chose none.
  static func present(_ interfaces: [NetworkInterface], chosen: [String]?) -> [String] {
    let used = interfaces.filter { $0.exclusion(names: chosen) == nil }
    let addresses = used.flatMap { interface in
      interface.addresses.filter { contains($0) || (interface.isLoopback && $0.isLocalhost && $0.isV4) }
    }
    return (addresses.filter(\.isV4) + addresses.filter { !$0.isV4 }).map(\.description)
  }
}

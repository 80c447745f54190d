import Foundation
import Glibc
import LatchkeySystem
import LatchkeyTestSupport
import Testing

@testable import LatchkeyWeb

@Suite("The certificates by which phones know a machine")
struct CertificateTests {
  private static let name = "lk-7f3k2m.local"

  /// Runs a body with a state folder in which there is an authority.
  private func with(
    isLoopback: Bool = false, _ body: (_ state: String, _ folder: CertificateFolder) async throws -> Void
  ) async throws {
    let state = FileManager.default.temporaryDirectory.appendingPathComponent("lk-web-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: state) }
    let folder = CertificateFolder(stateFolder: state)
    try await folder.makeAuthority(name: Self.name, isLoopback: isLoopback)
    try await body(state, folder)
  }

  /// Returns whether `openssl` takes what the authority has signed for some names.
  private func isTaken(_ alternatives: String, _ state: String) throws -> Bool {
    let (work, authority) = ("\(state)/work-\(UUID().uuidString)", "\(state)/web/authority.pem")
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    try "[leaf]\nsubjectAltName = \(alternatives)\n".write(
      toFile: "\(work)/leaf.cnf", atomically: true, encoding: .utf8)
    for words in [
      [
        "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x", "-keyout",
        "\(work)/key.pem", "-out", "\(work)/request.pem",
      ],
      [
        "x509", "-req", "-in", "\(work)/request.pem", "-CA", authority, "-CAkey", authority, "-set_serial", "1",
        "-days", "1", "-extfile", "\(work)/leaf.cnf", "-extensions", "leaf", "-out", "\(work)/leaf.pem",
      ],
    ] {
      guard case .output = ToolRun.run("openssl", words, seconds: 30) else { throw WebFault("openssl has failed.") }
    }
    guard case .output = ToolRun.run("openssl", ["verify", "-CAfile", authority, "\(work)/leaf.pem"], seconds: 30)
    else {
      return false
    }
    return true
  }

  @Test("The authority can speak for addresses in a home alone")
  func constraints() async throws {
    try await with { (state: String, _: CertificateFolder) async throws -> Void in
      for names in ["DNS:\(Self.name)", "IP:192.168.1.5", "IP:10.1.2.3,IP:172.31.0.1", "IP:fd00::1"] {
        #expect(try isTaken(names, state), "\(names)")
      }
      for names in [
        "DNS:bank.example", "DNS:\(Self.name),DNS:bank.example", "IP:8.8.8.8", "IP:192.168.1.5,IP:8.8.8.8",
        "IP:172.32.0.1", "IP:127.0.0.1", "IP:2001:db8::1", "DNS:other.local",
      ] {
        #expect(try !isTaken(names, state), "\(names)")
      }
    }
  }

  @Test("Keys are for their owner alone, and the authority is erased with its key")
  func files() async throws {
    try await with { state, folder in
      try await folder.makeLeaf(name: Self.name, addresses: ["192.168.1.5"])
      for name in ["authority.pem", "leaf.pem"] {
        var status = stat()
        #expect(stat("\(state)/web/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
      }
      var status = stat()
      #expect(stat("\(state)/web", &status) == 0 && status.st_mode & 0o777 == 0o700)
      let rest = try FileManager.default.contentsOfDirectory(atPath: "\(state)/web").sorted()
      #expect(rest == ["authority.pem", "leaf.pem"])
      let authority = try #require(folder.authority)
      #expect(authority.der.count < 700 && authority.fingerprint.count == 64)
      #expect(authority.fingerprint.hasPrefix(authority.comparison.filter { $0 != " " }))
      #expect(authority.comparison.count == 19)
      folder.erase()
      #expect(folder.authority == nil && folder.leaf == nil && !folder.hasAuthority)
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(state)/web").isEmpty)
    }
  }

  @Test("What is signed holds for 47 days, and is made anew before that ends and for a new address")
  func leaf() async throws {
    try await with { state, folder in
      #expect(folder.leaf == nil && CertificateFolder.isDue(nil, for: [], now: 0))
      try await folder.makeLeaf(name: Self.name, addresses: ["192.168.1.5", "fd00::1"])
      let (leaf, now) = (try #require(folder.leaf), WallClock.now() / 1_000)
      #expect(leaf.addresses == ["192.168.1.5", "fd00::1"])
      #expect(abs(leaf.until - now - 47 * 86_400) < 3_600)
      #expect(!CertificateFolder.isDue(leaf, for: ["192.168.1.5"], now: now))
      #expect(CertificateFolder.isDue(leaf, for: ["192.168.1.6"], now: now))
      #expect(CertificateFolder.isDue(leaf, for: ["192.168.1.5"], now: leaf.until - 13 * 86_400))
      #expect(CertificateFolder.isDue(leaf, for: ["192.168.1.5"], now: leaf.until + 1))
      let authority = folder.authority
      try await folder.makeLeaf(name: Self.name, addresses: ["192.168.1.6"])
      #expect(folder.leaf?.addresses == ["192.168.1.6"] && folder.authority == authority)
      // A phone that trusted the authority at the first address trusts it at the second.
      for name in ["first.pem", "second.pem"] {
        if name == "second.pem" { try await folder.makeLeaf(name: Self.name, addresses: ["10.0.0.9"]) }
        try String(decoding: try #require(folder.leaf).pem, as: UTF8.self).write(
          toFile: "\(state)/\(name)", atomically: true, encoding: .utf8)
        let checked = ToolRun.run(
          "openssl", ["verify", "-CAfile", "\(state)/web/authority.pem", "\(state)/\(name)"], seconds: 30)
        guard case .output = checked else {
          Issue.record("\(name): \(checked)")
          continue
        }
      }
      // What another authority has signed is none.
      try await folder.makeAuthority(name: Self.name, isLoopback: false)
      #expect(folder.authority != authority && folder.leaf == nil)
      // A lost or damaged authority is noticed, and nothing is signed without it.
      try "nothing".write(toFile: "\(state)/web/authority.pem", atomically: true, encoding: .utf8)
      #expect(folder.authority == nil && folder.leaf == nil && folder.hasAuthority)
      await #expect(throws: CertificateFolder.lost) { () async throws -> Void in
        try await folder.makeLeaf(name: Self.name, addresses: ["192.168.1.6"])
      }
    }
  }

  @Test("A folder that others may enter holds no key")
  func openFolder() async throws {
    let state = FileManager.default.temporaryDirectory.appendingPathComponent("lk-web-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: "\(state)/web", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: state) }
    chmod("\(state)/web", 0o755)
    await #expect(throws: WebFault.self) { () async throws -> Void in
      try await CertificateFolder(stateFolder: state).makeAuthority(name: Self.name, isLoopback: false)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(state)/web").isEmpty)
  }

  @Test("Phones are served at private addresses alone, and on the loopback interface only if that was chosen")
  func addresses() throws {
    func interface(_ name: String, _ addresses: [String], isLoopback: Bool = false) throws -> NetworkInterface {
      NetworkInterface(
        index: 1, name: name, isLoopback: isLoopback,
        subnets: try addresses.map { Subnet(try #require(IPAddress($0)), prefix: 24) })
    }
    let all = [
      try interface("lo", ["127.0.0.1", "::1"], isLoopback: true),
      try interface("eth0", ["fd00::5", "192.168.1.5", "203.0.113.9", "fe80::1", "2001:db8::5"]),
      try interface("wlan0", ["10.0.0.5", "172.16.0.5", "172.32.0.5", "169.254.1.1"]),
      try interface("docker0", ["172.17.0.1"]),
    ]
    #expect(PrivateAddresses.present(all, chosen: nil) == ["192.168.1.5", "10.0.0.5", "172.16.0.5", "fd00::5"])
    #expect(PrivateAddresses.present(all, chosen: ["lo"]) == ["127.0.0.1"])
    #expect(PrivateAddresses.present(all, chosen: ["wlan0"]) == ["10.0.0.5", "172.16.0.5"])
  }
}

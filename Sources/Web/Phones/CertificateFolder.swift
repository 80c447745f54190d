import Dispatch
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import NIOSSL

/// The certificates by which phones recognize this machine: an authority that can sign only for
/// private addresses, and the machine's certificate.
///
/// The `openssl` command creates them. Each file holds a key and its certificate, and is replaced
/// in one step.
///
/// Spec: Protocol/15-pages.md §8.
struct CertificateFolder: Sendable {
  private static let authorityDays = 3_650
  /// The validity of the machine's certificate, in days.
  ///
  /// Browsers refuse certificates that are valid for long.
  private static let leafDays = 47
  /// The number of days before its end at which a certificate is renewed.
  private static let renewalDays = 14

  private let folder: String

  init(stateFolder: String) { folder = PhonePlace.folder(in: stateFolder) }

  private var authorityPath: String { folder + "/authority.pem" }
  private var leafPath: String { folder + "/leaf.pem" }

  struct Authority: Hashable, Sendable {
    /// The certificate that a phone must trust.
    var der: [UInt8]

    /// The SHA-256 of the certificate, in upper-case hexadecimal digits, as phones show it.
    var fingerprint: String { Hexadecimal.encode(SHA256.hash(der)).uppercased() }

    /// The beginning of the fingerprint, for a person to compare: 16 digits in groups of four.
    ///
    /// Fewer digits are not enough: a desktop finds another certificate with the same 8 digits
    /// within minutes.
    var comparison: String {
      let digits = Array(fingerprint.prefix(16))
      return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<$0 + 4]) }.joined(separator: " ")
    }
  }

  /// The certificate that the authority has signed for this machine.
  struct Leaf: Hashable, Sendable {
    /// The key and the certificate, as text.
    var pem: [UInt8]
    /// The addresses that the certificate is for.
    var addresses: Set<String>
    /// The end of the certificate's validity, in Unix seconds.
    var until: Int64
  }

  /// A Boolean value that indicates whether the authority's file exists, readable or not.
  var hasAuthority: Bool { access(authorityPath, F_OK) == 0 }

  /// The authority; `nil` if there is none, or if its file is damaged.
  var authority: Authority? {
    guard let bytes = Self.read(authorityPath) else { return nil }
    do { return Authority(der: try Self.certificate(bytes).toDERBytes()) } catch { return nil }
  }

  /// The machine's certificate; `nil` if the present authority has signed none.
  var leaf: Leaf? {
    guard let authority, let bytes = Self.read(leafPath) else { return nil }
    // The first line names the authority and the addresses.
    let words = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: " ")
    guard words.count >= 2, words[0] == "Authority", words[1] == authority.fingerprint else { return nil }
    do {
      let certificate = try Self.certificate(bytes)
      return Leaf(
        pem: bytes, addresses: Set(words.dropFirst(2).map(String.init)), until: Int64(certificate.notValidAfter))
    } catch { return nil }
  }

  /// Returns whether a certificate lacks an address, or ends soon; `now` is in Unix seconds.
  static func isDue(_ leaf: Leaf?, for addresses: [String], now: Int64) -> Bool {
    guard let leaf else { return true }
    return !leaf.addresses.isSuperset(of: addresses) || leaf.until - now < Int64(renewalDays) * 86_400
  }

  /// Creates the authority, for private addresses, one name and, if asked, the loopback interface.
  ///
  /// - Throws: `WebFault` if `openssl` fails or the file cannot be written.
  func makeAuthority(name: String, isLoopback: Bool) async throws(WebFault) {
    try prepare()
    let ranges = PrivateAddresses.ranges + (isLoopback ? [PrivateAddresses.loopback] : [])
    let names = ["permitted;DNS.0 = \(name)"] + ranges.enumerated().map { "permitted;IP.\($0) = \($1)" }
    let settings = """
      [req]
      distinguished_name = subject
      x509_extensions = authority
      prompt = no
      [subject]
      CN = Latchkey \(name.prefix { $0 != "." })
      [authority]
      basicConstraints = critical,CA:TRUE,pathlen:0
      keyUsage = critical,keyCertSign,cRLSign
      subjectKeyIdentifier = hash
      nameConstraints = critical,@names
      [names]
      \(names.joined(separator: "\n"))

      """
    try await inScratch { (scratch: String) async throws(WebFault) -> Void in
      try Self.write(settings, to: "\(scratch)/authority.cnf")
      try await Self.key("\(scratch)/key.pem")
      try await Self.openssl([
        "req", "-x509", "-new", "-sha256", "-key", "\(scratch)/key.pem", "-days", "\(Self.authorityDays)", "-config",
        "\(scratch)/authority.cnf", "-out", "\(scratch)/certificate.pem",
      ])
      try Self.join("", scratch, authorityPath)
    }
  }

  /// Creates the machine's certificate, signed by the present authority.
  ///
  /// - Throws: `WebFault` if there is no authority, `openssl` fails, or the file cannot be written.
  func makeLeaf(name: String, addresses: [String]) async throws(WebFault) {
    guard let authority else { throw Self.lost }
    let alternatives = ["DNS:\(name)"] + addresses.map { "IP:\($0)" }
    let settings = """
      [req]
      distinguished_name = subject
      prompt = no
      [subject]
      CN = Latchkey
      [leaf]
      basicConstraints = critical,CA:FALSE
      keyUsage = critical,digitalSignature
      extendedKeyUsage = serverAuth
      subjectKeyIdentifier = hash
      authorityKeyIdentifier = keyid
      subjectAltName = \(alternatives.joined(separator: ","))

      """
    try await inScratch { (scratch: String) async throws(WebFault) -> Void in
      try Self.write(settings, to: "\(scratch)/leaf.cnf")
      try await Self.key("\(scratch)/key.pem")
      try await Self.openssl([
        "req", "-new", "-sha256", "-key", "\(scratch)/key.pem", "-config", "\(scratch)/leaf.cnf", "-out",
        "\(scratch)/request.pem",
      ])
      try await Self.openssl([
        "x509", "-req", "-sha256", "-in", "\(scratch)/request.pem", "-CA", authorityPath, "-CAkey", authorityPath,
        "-set_serial", "0x\(Self.serial())", "-days", "\(Self.leafDays)", "-extfile", "\(scratch)/leaf.cnf",
        "-extensions", "leaf", "-out", "\(scratch)/certificate.pem",
      ])
      try Self.join(
        (["Authority", authority.fingerprint] + addresses).joined(separator: " ") + "\n", scratch, leafPath)
    }
  }

  func erase() { for path in [authorityPath, leafPath] { unlink(path) } }

  /// The sentence for a lost authority while phones are let in.
  static let lost = WebFault(
    phrase: Phrase(
      """
      The authority that phones trust was lost (authority.pem in the folder web), so no new certificate can be made: remove \
      every phone with `latchkey browsers remove`, take the old authority out of each phone's settings, and let them in anew.
      """))

  /// Creates the folder, which no other account may enter.
  func prepare() throws(WebFault) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST, WebPlace.isPrivate(folder) else {
      throw WebFault(
        phrase: Phrase(
          "{folder} cannot be used: it must be a folder of this account that nobody else may enter.",
          ["folder": .text(folder)]))
    }
  }
}

// MARK: - The command

extension CertificateFolder {
  /// Runs a body with a folder for temporary files.
  private func inScratch(_ body: (String) async throws(WebFault) -> Void) async throws(WebFault) {
    let scratch = "\(folder)/new-\(Hexadecimal.encode(SecureRandom.bytes(8)))"
    guard mkdir(scratch, 0o700) == 0 else { throw Self.unwritable(scratch) }
    defer {
      for name in ProcFile.names(in: scratch) ?? [] { unlink("\(scratch)/\(name)") }
      rmdir(scratch)
    }
    try await body(scratch)
  }

  private static func key(_ path: String) async throws(WebFault) {
    try await openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path])
  }

  /// Returns a positive serial number of 19 random bytes.
  private static func serial() -> String {
    var bytes = SecureRandom.bytes(19)
    bytes[0] = bytes[0] & 0x3F | 0x40
    return Hexadecimal.encode(bytes)
  }

  private static func openssl(_ arguments: [String]) async throws(WebFault) {
    // The call blocks a thread until the command ends.
    let result: ToolRun.Result = await withCheckedContinuation { continuation in
      DispatchQueue(label: "latchkey.openssl").async {
        continuation.resume(returning: ToolRun.run("openssl", arguments, seconds: 30))
      }
    }
    switch result {
    case .output: return
    case .absent:
      throw WebFault(
        phrase: Phrase("This machine has no `openssl`, which makes certificates: run `sudo apt install openssl`."))
    case .failed(let reason):
      throw WebFault(
        phrase: Phrase(
          "No certificate could be made (openssl: {why}): check the disk, and try again.", ["why": .text(reason)]))
    }
  }

  /// Writes a heading, a key and its certificate to a file, which replaces an earlier one.
  private static func join(_ heading: String, _ scratch: String, _ path: String) throws(WebFault) {
    guard let key = read("\(scratch)/key.pem"), let certificate = read("\(scratch)/certificate.pem") else {
      throw unwritable(path)
    }
    let new = "\(scratch)/joined.pem"
    try write(heading + String(decoding: certificate + key, as: UTF8.self), to: new)
    guard rename(new, path) == 0 else { throw unwritable(path) }
  }

  private static func write(_ text: String, to path: String) throws(WebFault) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw unwritable(path) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw unwritable(path)
    }
  }

  private static func read(_ path: String) -> [UInt8]? {
    ProcFile.text(path, most: 65_536).flatMap { $0.isEmpty ? nil : Array($0.utf8) }
  }

  private static func unwritable(_ path: String) -> WebFault {
    WebFault(
      phrase: Phrase(
        "{path} cannot be written ({why}): check the folder's rights and the disk.",
        ["path": .text(path), "why": .text(SystemError.reason())]))
  }

  private static func certificate(_ pem: [UInt8]) throws -> NIOSSLCertificate {
    try NIOSSLCertificate(bytes: pem, format: .pem)
  }
}

import LatchkeyProtocol

/// The text that a person pastes or types as a code.
///
/// The first byte chooses between any text, and a valid code that is intact or damaged.
enum PairingCodeTarget {
  private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".unicodeScalars)
  private static let bech32 = Array("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".unicodeScalars)
  /// The characters that are ignored between symbols.
  private static let fillers = Array("- \u{2010}\u{2011}\u{2013}\t\n\u{A0}\u{3000}".unicodeScalars)

  static func seeds() -> [[UInt8]] {
    let texts = [
      "LK1QY-QQ9FG-95ZS6-9GAY5-KN202-9F424-6ETDW-47D83-WHDVT-RZQNN-RJ0UK-09YW2-AEQ6X-HG0S",
      "LK1QY-QQ9FG-95ZS6-9GAY5-KN202-9F424-6ETDW-47D83-WHDVT-RZQNN-RJ0UK-09YW2-AE2ZY-KQ4QQ-S2LTS-WLA",
      "N5-7Q2MN-43", " n5 7q2mn 43\n", "nS-7Q2MN-43", "lk1", "", "LK1QY", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      "N5\u{2013}7Q2MN\u{2010}43", "\u{130}K1", "N5-7Q2MN-43-4",
    ]
    return texts.map { [0] + Array($0.utf8) } + [
      [1, 1, 0, 2, 0xA5, 5] + [UInt8](repeating: 7, count: 32), [2, 2, 0xA5, 5, 1] + [UInt8](repeating: 9, count: 60),
      [3, 2, 0xA5, 7, 23, 2, 20, 21, 4, 1, 3], [2, 0, 0, 1, 0] + Array(repeating: 3, count: 60),
    ]
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    switch script.choice(4) {
    case 0: try checkText(String(decoding: script.remainder(), as: UTF8.self))
    case 1: try checkData(script.bytes(45))
    case 2: try checkPasted(&script)
    default: try checkTyped(&script)
    }
  }

  /// Checks that any text is a code, which is written as another with the same meaning, or is
  /// refused with a sentence.
  private static func checkText(_ text: String) throws(FuzzFault) {
    switch read(text) {
    case .failure(let error): try require(!error.description.isEmpty, "no sentence for \(error)")
    case .success(let credential):
      let written =
        switch credential {
        case .pasted(let code): code.text
        case .typed(let code): code.text
        }
      guard case .success(let again) = read(written) else { throw FuzzFault("the code's own text is refused: \(text)") }
      try require(parts(again) == parts(credential), "the code's own text means another code: \(text)")
    }
  }

  /// Checks any bytes under a valid checksum: a code that is read has the same bytes, and no value
  /// out of range.
  private static func checkData(_ data: [UInt8]) throws(FuzzFault) {
    guard let text = try? Bech32m.encode(humanReadablePart: "lk", data: data),
      let decoded = try? Bech32m.decode(text)
    else { throw FuzzFault("bech32m loses \(data)") }
    try require(decoded.data == data && decoded.humanReadablePart == "lk", "bech32m changes \(data)")
    guard case .success(let credential) = read(text) else { return }
    guard case .pasted(let code) = credential else { throw FuzzFault("\(text) is read as a typed code") }
    var expected: [UInt8] = [1, 0, UInt8(code.discriminator >> 8), UInt8(code.discriminator & 255), code.minutesValid]
    expected += code.secret.withUnsafeBytes { Array($0) } + code.commitment
    if let address = code.address { expected += [UInt8(address.port >> 8), UInt8(address.port & 255)] + address.ipv4 }
    try require(expected == data, "\(data) is read as \(expected)")
    try require(
      code.discriminator < 1_024 && (1...15).contains(code.minutesValid) && code.address?.port != 0,
      "\(data) is out of range and read")
  }

  /// Checks that a right code is read in every way of writing it, and never with one to four wrong
  /// symbols.
  private static func checkPasted(_ script: inout ByteScript) throws(FuzzFault) {
    let hasAddress = script.bool()
    let code = PairingCode(
      discriminator: script.number16() % 1_024, minutesValid: script.byte() % 15 + 1,
      secret: SecretBytes(script.wholeBytes(16)), commitment: script.wholeBytes(16),
      address: hasAddress ? .init(ipv4: script.wholeBytes(4), port: max(1, script.number16())) : nil)
    var scalars = Array(code.text.unicodeScalars.filter { $0 != "-" })
    try checkDecorated(scalars, .pasted(code), &script)
    // Begins after `LK1`: the error detection covers all of the text, but a wrong separator makes
    // another text.
    let wrong = spoil(&scalars, from: 3, by: bech32, places: 1 + script.choice(4), &script)
    guard wrong > 0 else { return }
    if case .success = read(text(scalars)) { throw FuzzFault("a code with \(wrong) wrong symbols is read") }
  }

  private static func checkTyped(_ script: inout ByteScript) throws(FuzzFault) {
    let code = TypedCode(
      discriminator: script.number16() % 1_024, secretValues: script.wholeBytes(6).map { $0 % 32 })
    var scalars = Array(code.text.unicodeScalars.filter { $0 != "-" })
    try checkDecorated(scalars, .typed(code), &script)
    if spoil(&scalars, from: 0, by: symbols, places: 1, &script) > 0, case .success = read(text(scalars)) {
      throw FuzzFault("a typed code with a wrong symbol is read")
    }
  }

  private static func checkDecorated(
    _ scalars: [Unicode.Scalar], _ code: PairingCredential, _ script: inout ByteScript
  ) throws(FuzzFault) {
    var decorated: [Unicode.Scalar] = []
    for scalar in scalars {
      let way = script.byte()
      if way & 3 == 3 { decorated.append(fillers[Int(way >> 2) % fillers.count]) }
      decorated.append(way & 128 == 0 ? scalar : scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar)
    }
    guard case .success(let found) = read(text(decorated)) else {
      throw FuzzFault("\(text(decorated)) is refused")
    }
    try require(parts(found) == parts(code), "\(text(decorated)) means another code")
  }

  /// Replaces up to `places` symbols by others, and returns the number of changed ones.
  private static func spoil(
    _ scalars: inout [Unicode.Scalar], from start: Int, by symbols: [Unicode.Scalar], places: Int,
    _ script: inout ByteScript
  ) -> Int {
    let before = scalars
    for _ in 0..<places {
      scalars[start + Int(script.byte()) % (scalars.count - start)] = symbols[Int(script.byte()) % symbols.count]
    }
    return zip(before, scalars).count { $0 != $1 }
  }

  private static func read(_ text: String) -> Result<PairingCredential, PairingCodeError> {
    do throws(PairingCodeError) { return .success(try PairingCredential(text)) } catch { return .failure(error) }
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  /// Returns everything that a code says, as text.
  private static func parts(_ credential: PairingCredential) -> String {
    switch credential {
    case .pasted(let code):
      let secret = code.secret.withUnsafeBytes { Array($0) }
      return
        "\(code.discriminator) \(code.minutesValid) \(secret) \(code.commitment) \(String(describing: code.address))"
    case .typed(let code): return "\(code.discriminator) \(code.secret.withUnsafeBytes { Array($0) })"
    }
  }
}

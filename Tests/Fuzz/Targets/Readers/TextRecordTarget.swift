import LatchkeyDiscovery
import LatchkeyProtocol

/// The TXT record of any host on the network: entries of up to 255 bytes, each preceded by its
/// size.
enum TextRecordTarget {
  static func seeds() -> [[UInt8]] {
    let records: [[String]] = [
      ["v=1", "n=ABCDEFGH", "h=12345678"], ["v=1", "n=ABCDEFGH", "h=12345678", "d=7,1023,0"], ["V=1", "v=2", "=", "x"],
      (0..<20).map { "k\($0)=\($0)" }, Array(repeating: String(repeating: "y", count: 250), count: 6), [""],
    ]
    return records.map { entries in entries.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } }
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    var entries: [[UInt8]] = []
    while !script.isEmpty { entries.append(script.block()) }
    let pairs = TextRecord.parse(entries)
    let wanted = expected(entries)
    try require(pairs == wanted, "\(pairs) was read where the rules give \(wanted)")
    try checkWriting(pairs)
    try checkOpenCodes(pairs["d"])
  }

  /// Returns the result by the rules of RFC 6763, section 6.4, and our bounds.
  ///
  /// The bounds are 16 entries and 1,300 bytes; the first of equal keys counts.
  private static func expected(_ entries: [[UInt8]]) -> [String: [UInt8]] {
    var pairs: [String: [UInt8]] = [:]
    var total = 0
    for entry in entries.prefix(16) {
      total += 1 + entry.count
      if total > 1_300 { return pairs }
      let end = entry.firstIndex(of: 0x3D) ?? entry.count
      var key = ""
      var isPrintable = end > 0
      for byte in entry[..<end] {
        isPrintable = isPrintable && byte >= 0x20 && byte <= 0x7E
        key.unicodeScalars.append(Unicode.Scalar((0x41...0x5A).contains(byte) ? byte + 0x20 : byte))
      }
      if isPrintable, pairs[key] == nil { pairs[key] = Array(entry.dropFirst(end + 1)) }
    }
    return pairs
  }

  /// Checks that decoded pairs are encoded to the same pairs, unless an added `=` makes the record
  /// too long.
  private static func checkWriting(_ pairs: [String: [UInt8]]) throws(FuzzFault) {
    let sizes = pairs.map { $0.key.utf8.count + 1 + $0.value.count }
    guard let written = TextRecord.entries(pairs) else {
      let isTooLong = sizes.contains { $0 > 255 } || sizes.reduce(0) { $0 + $1 + 1 } > 1_300
      return try require(isTooLong, "\(pairs) was read and cannot be written")
    }
    let again = TextRecord.parse(written)
    try require(again == pairs, "\(pairs) was written and read as \(again)")
    try require(pairs["v"] == nil || written.first?.first == 0x76, "v is not the first of \(written)")
  }

  private static func checkOpenCodes(_ value: [UInt8]?) throws(FuzzFault) {
    let found = OpenCodesText.discriminators(value)
    try require(found.count <= 16 && found.allSatisfy { $0 < 1_024 }, "\(found) is no set of open codes")
    let again = OpenCodesText.discriminators(OpenCodesText.bytes(found.sorted()))
    try require(again == found, "\(found) was written and read as \(again)")
  }
}

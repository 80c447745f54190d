import LatchkeyModel

/// The format in which an agent stores its orders on its own disk (Protocol/13-agent.md §7).
public enum OrdersFile {
  private static let magic: [UInt8] = Array("LKORDERS".utf8)
  /// The largest size in bytes.
  public static let maximumBytes = 12 + AgentFrame.headerBytes + AgentOrders.maximumBytes

  public static func content(of orders: AgentOrders) throws(AgentFrameError) -> [UInt8] {
    CheckedFile.content(magic, try AgentFrame.orders(orders).bytes())
  }

  /// Reads the content of a file.
  ///
  /// - Throws: `AgentFrameError.damaged` unless the content is exactly as written.
  public static func read(_ content: [UInt8]) throws(AgentFrameError) -> AgentOrders {
    var assembler = AgentFrameAssembler()
    assembler.append(try CheckedFile.body(of: content, magic, most: maximumBytes))
    guard case .orders(let orders)? = try assembler.next() else { throw .damaged }
    return orders
  }
}

/// The format in which an agent stores the inherited applications of processes for its next run
/// (Protocol/13-agent.md §7).
public enum LineageFile {
  private static let magic: [UInt8] = Array("LKLINEAG".utf8)
  public static let capacity = 4_096
  /// The largest size in bytes.
  public static let maximumBytes = 1 << 21

  /// Returns the content of a file.
  ///
  /// If there are more than `capacity` processes, those with the lowest numbers are kept.
  public static func content(of lineages: [ProcessIdentity: AppID], boot: String) -> [UInt8] {
    let kept = lineages.sorted { $0.key < $1.key }.prefix(capacity)
    let start = FieldWriter().bootID(boot).number16(UInt16(truncatingIfNeeded: kept.count))
    let body = kept.reduce(start) { $0.value($1.key).app($1.value) }
    return CheckedFile.content(magic, body.bytes)
  }

  /// Reads the content of a file; empty if it is damaged or from another boot.
  public static func read(_ content: [UInt8], boot: String) -> [ProcessIdentity: AppID] {
    (try? parsed(content, boot: boot)) ?? [:]
  }

  private static func parsed(_ content: [UInt8], boot: String) throws(AgentFrameError) -> [ProcessIdentity: AppID] {
    var reader = FieldReader(try CheckedFile.body(of: content, magic, most: maximumBytes))
    guard try reader.bootID() == boot else { throw .damaged }
    var lineages: [ProcessIdentity: AppID] = [:]
    for _ in 0..<(try reader.number16()) { lineages[try ProcessIdentity(from: &reader)] = try reader.app() }
    try reader.end()
    return lineages
  }
}

/// The form of both files: eight characters, the body's CRC-32/ISO-HDLC checksum, and the body.
private enum CheckedFile {
  static func content(_ magic: [UInt8], _ body: [UInt8]) -> [UInt8] {
    magic + FieldWriter().number32(checksum(body)).bytes + body
  }

  static func body(of content: [UInt8], _ magic: [UInt8], most: Int) throws(AgentFrameError) -> ArraySlice<UInt8> {
    guard content.count <= most, content.starts(with: magic) else { throw .damaged }
    var reader = FieldReader(content.dropFirst(magic.count))
    let body = content.dropFirst(magic.count + 4)
    guard let sum = try? reader.number32(), sum == checksum(body) else { throw .damaged }
    return body
  }

  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = .max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}

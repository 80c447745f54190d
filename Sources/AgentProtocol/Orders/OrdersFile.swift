/// The format in which an agent stores its orders on its own disk.
///
/// Spec: Protocol/13-agent.md §7.
public enum OrdersFile {
  private static let magic: [UInt8] = Array("LKORDERS".utf8)
  /// The largest size in bytes.
  public static let maximumBytes = 12 + AgentFrame.headerBytes + AgentOrders.maximumBytes

  public static func content(of orders: AgentOrders) throws(AgentFrameError) -> [UInt8] {
    let frame = try AgentFrame.orders(orders).bytes()
    var sum = FieldWriter()
    sum.number32(checksum(frame))
    return magic + sum.bytes + frame
  }

  /// Reads the content of a file.
  ///
  /// - Throws: `AgentFrameError.damaged` unless the content is exactly as written.
  public static func read(_ content: [UInt8]) throws(AgentFrameError) -> AgentOrders {
    guard content.count <= maximumBytes, content.starts(with: magic) else { throw .damaged }
    var reader = FieldReader(content.dropFirst(magic.count))
    guard let sum = try? reader.number32() else { throw .damaged }
    let frame = content.dropFirst(magic.count + 4)
    guard checksum(frame) == sum else { throw .damaged }
    var assembler = AgentFrameAssembler()
    assembler.append(frame)
    guard case .orders(let orders)? = try assembler.next() else { throw .damaged }
    return orders
  }

  /// Returns the CRC-32/ISO-HDLC checksum of bytes.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = .max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}

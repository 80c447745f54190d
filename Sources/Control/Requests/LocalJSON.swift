import FoundationEssentials
import LatchkeyHousehold
import LatchkeyModel

/// How the local API writes and reads JSON, the same on both sides.
package enum LocalJSON {
  /// Bytes that a request's body may have.
  package static let requestBytes = 256 << 10
  /// Bytes that an answer may have before the client gives up on it.
  static let responseBytes = 256 << 20

  /// Write a value on one line with sorted keys.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  /// Read a value.
  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try CommandRegistry.household.decoder().decode(type, from: Data(bytes))
  }
}

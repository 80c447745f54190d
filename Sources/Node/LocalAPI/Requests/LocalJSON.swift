import FoundationEssentials
import LatchkeyHousehold
import LatchkeyModel

/// The JSON coding of the local API, which both sides share.
package enum LocalJSON {
  /// The largest number of bytes in a request's body.
  package static let requestBytes = 256 << 10
  /// The largest number of bytes in an answer that the client accepts.
  package static let responseBytes = 256 << 20

  /// Encodes a value on one line with sorted keys.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try CommandRegistry.household.decoder().decode(type, from: Data(bytes))
  }
}

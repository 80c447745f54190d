import Foundation
import LatchkeyModel
import SwiftProtobuf

/// The type of protobuf's `bytes` fields in generated code.
package typealias WireBytes = Data

extension Message {
  package var wireBytes: [UInt8] {
    // Encoding fails only for an unset required field or a size of more than 2 GiB. proto3 has no
    // required fields, and every caller observes `Limits`.
    do { return try serializedBytes() } catch {
      preconditionFailure("a proto3 message that does not serialise: \(error)")
    }
  }

  /// Creates a message from its encoding; throws `WireError`, the peer's fault.
  package init(wire bytes: [UInt8]) throws(WireError) {
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = 16
    options.discardUnknownFields = true
    do { try self.init(serializedBytes: bytes, options: options) } catch {
      throw WireError("not a protobuf message: \(error)")
    }
  }
}

extension BodyFault {
  /// Runs a closure that reads a part of a body, and turns its fault into the body's.
  package static func reading<Value>(_ read: () throws(WireError) -> Value) throws(BodyFault) -> Value {
    do { return try read() } catch { throw BodyFault(error.description) }
  }
}

extension DeviceRole {
  var wire: UInt32 {
    switch self {
    case .parent: 1
    case .child: 2
    }
  }

  init(wire: UInt32) throws(WireError) {
    switch wire {
    case 1: self = .parent
    case 2: self = .child
    default: throw WireError("role \(wire)")
    }
  }
}

/// A message that cannot be read, which is always the peer's fault.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the fault, for the log.
  public var description: String
  /// The whole sentence for people, where one is likely to read it; `nil` otherwise.
  public var phrase: Phrase?

  public init(_ description: String, phrase: Phrase? = nil) { (self.description, self.phrase) = (description, phrase) }
}

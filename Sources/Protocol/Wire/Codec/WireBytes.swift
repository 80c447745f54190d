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
    guard let known = Self.allCases.first(where: { $0.wire == wire }) else { throw WireError("role \(wire)") }
    self = known
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

/// The encoding of items' bodies as protobuf messages (Protocol/06-messages.md).
public struct MessageBodyCoding: BodyCoding {
  public let commands: CommandRegistry
  public let factKinds: FactRegistry

  public init(_ commands: CommandRegistry, _ facts: FactRegistry) {
    (self.commands, self.factKinds) = (commands, facts)
  }

  public func encode(_ command: CommandBody) -> [UInt8] { Latchkey_V1_Command(command).wireBytes }
  public func encode(_ receipt: CommandReceipt) -> [UInt8] { Latchkey_V1_Receipt(receipt).wireBytes }
  public func encode(_ record: UsageRecord) -> [UInt8] { Latchkey_V1_UsageRecord(record).wireBytes }
  public func encode(_ loss: UsageLoss) -> [UInt8] { Latchkey_V1_UsageLoss(loss).wireBytes }
  public func encode(_ state: StateInForce) -> [UInt8] { Latchkey_V1_State(state).wireBytes }
  public func encode(_ rotation: KeyRotation) -> [UInt8] { Latchkey_V1_KeyRotation(rotation).wireBytes }
  public func encode(_ notice: RefusalNotice) -> [UInt8] { Latchkey_V1_Refusal(notice).wireBytes }
  public func encode(_ inventory: Inventory) -> [UInt8] { Latchkey_V1_Inventory(inventory).wireBytes }
  public func encode(_ registers: [Register]) -> [UInt8] { Latchkey_V1_Registers(registers).wireBytes }
  public func encode(_ facts: [Fact]) -> [UInt8] { Latchkey_V1_Facts(facts).wireBytes }

  public func command(_ body: [UInt8]) throws(BodyFault) -> CommandBody {
    try fault("command") { () throws(WireError) in try Latchkey_V1_Command(wire: body).value(commands) }
  }

  public func receipt(_ body: [UInt8]) throws(BodyFault) -> CommandReceipt {
    try fault("receipt") { () throws(WireError) in try Latchkey_V1_Receipt(wire: body).value(commands) }
  }

  public func usageRecord(_ body: [UInt8]) throws(BodyFault) -> UsageRecord {
    try fault("usage record") { () throws(WireError) in try Latchkey_V1_UsageRecord(wire: body).value() }
  }

  public func usageLoss(_ body: [UInt8]) throws(BodyFault) -> UsageLoss {
    try fault("usage loss") { () throws(WireError) in try Latchkey_V1_UsageLoss(wire: body).value() }
  }

  public func state(_ body: [UInt8]) throws(BodyFault) -> StateInForce {
    try fault("state") { () throws(WireError) in try Latchkey_V1_State(wire: body).value(commands) }
  }

  public func rotation(_ body: [UInt8]) throws(BodyFault) -> KeyRotation {
    try fault("key rotation") { () throws(WireError) in try Latchkey_V1_KeyRotation(wire: body).value() }
  }

  public func refusalNotice(_ body: [UInt8]) throws(BodyFault) -> RefusalNotice {
    try fault("refusal") { () throws(WireError) in try Latchkey_V1_Refusal(wire: body).value() }
  }

  /// Returns the part of a list in a body, without a check of its entries.
  public func inventory(_ body: [UInt8]) throws(BodyFault) -> Inventory {
    try fault("list") { () throws(WireError) in try Latchkey_V1_Inventory(wire: body).value() }
  }

  public func registers(_ body: [UInt8]) throws(BodyFault) -> [Register] {
    try fault("list of registers") { () throws(WireError) in try Latchkey_V1_Registers(wire: body).value() }
  }

  public func facts(_ body: [UInt8]) throws(BodyFault) -> [Fact] {
    try fault("list of facts") { () throws(WireError) in try Latchkey_V1_Facts(wire: body).value() }
  }

  private func fault<Value>(_ what: String, _ read: () throws(WireError) -> Value) throws(BodyFault) -> Value {
    do { return try read() } catch {
      if let phrase = error.phrase { throw BodyFault(phrase: phrase) }
      let why = error.description
      throw BodyFault("The \(what) cannot be read: \(why.hasSuffix(".") ? String(why.dropLast()) : why).")
    }
  }
}

extension WireBytes {
  /// The bytes as an array, copied in one step, which `Array(_:)` does not do.
  var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

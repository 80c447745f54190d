import LatchkeyModel

/// Items that came, with the bodies read before the transaction begins, so that whoever writes does not wait for that.
struct DecodedRun: Sendable {
  enum Body: Sendable {
    case command(Result<CommandBody, BodyFault>)
    case receipt(Result<CommandReceipt, BodyFault>)
    case usage(Result<UsageRecord, BodyFault>)
    /// Of a kind that is rare, and read when it is its turn.
    case other
  }

  let run: ItemRun
  /// One for each item.
  let bodies: [Body]

  init(_ run: ItemRun, _ coding: any BodyCoding) {
    self.run = run
    bodies = run.items.map { item in
      switch (run.streamClass, item.kind) {
      case (.command, .command): .command(Self.result { () throws(BodyFault) in try coding.command(item.body) })
      case (.receipt, .receipt): .receipt(Self.result { () throws(BodyFault) in try coding.receipt(item.body) })
      case (.usage, .usageRecord): .usage(Self.result { () throws(BodyFault) in try coding.usageRecord(item.body) })
      default: .other
      }
    }
  }

  private static func result<Value>(_ read: () throws(BodyFault) -> Value) -> Result<Value, BodyFault> {
    do { return .success(try read()) } catch { return .failure(error) }
  }
}

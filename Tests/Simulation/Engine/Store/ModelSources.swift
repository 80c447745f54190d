import LatchkeyModel

/// What a model store is given instead of taking it: codings, keys, epochs and clocks, all of which a seed repeats.
package final class ModelSources {
  package let coding: any BodyCoding
  package let keys: any KeySource
  /// A random number, not 0.
  package let freshEpoch: () -> UInt64
  /// This boot's ID and the boot clock.
  package var bootID: String
  package var now: () -> BootInstant
  let fault: DeliberateFault?
  /// Of whoever checks: what went into each total and each word of a loss.
  package var members: [RecordID: Set<RecordID>] = [:]

  package init(
    coding: any BodyCoding, keys: any KeySource, freshEpoch: @escaping () -> UInt64, bootID: String,
    now: @escaping () -> BootInstant, fault: DeliberateFault? = nil
  ) {
    self.coding = coding
    self.keys = keys
    self.freshEpoch = freshEpoch
    self.bootID = bootID
    self.now = now
    self.fault = fault
  }
}

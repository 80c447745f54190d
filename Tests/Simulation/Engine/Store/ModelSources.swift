import LatchkeyModel

/// The inputs of a model store.
///
/// A seed determines all codings, keys, epochs and clocks.
package final class ModelSources {
  package let coding: any BodyCoding
  package let keys: any KeySource
  /// Returns a random number other than 0.
  package let freshEpoch: () -> UInt64
  /// The ID of the present boot, and the boot clock.
  package var bootID: String
  package var now: () -> BootInstant
  let fault: DeliberateFault?
  /// For the oracle: the records in each total and each loss.
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

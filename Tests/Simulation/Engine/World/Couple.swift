import LatchkeyModel

/// A parent's and a child's machine, for the oracle.
struct Couple: Hashable {
  let parent: DeviceID
  let child: DeviceID
}

/// The troubles of a couple, after which the guarantees are weaker.
struct CouplePast {
  /// The number of times that one of the two was restored to an older state, was wiped, or was
  /// copied.
  var setBacks = 0
  /// A Boolean value that indicates whether they were paired again after only one had closed its
  /// streams.
  var isUneven = false
  /// A Boolean value that indicates whether one was removed, or they were paired again.
  var isPairedAnew = false
  /// A Boolean value that indicates whether one was removed during a new pairing, so that the
  /// other's key is unknown.
  var wasRemovedHalfPaired = false
  /// A Boolean value that indicates whether a restored machine assigned numbers twice without being
  /// detected.
  ///
  /// Spec: Protocol/05-delivery.md §8.
  var hasUnnoticedNumbers = false

  var isSetBack: Bool { setBacks > 0 }
  /// A Boolean value that indicates whether one was restored again, perhaps before any item of a
  /// restarted stream was stored.
  ///
  /// Items that were stored under its earlier numbers may then be lost.
  var isSetBackAgain: Bool { setBacks > 1 }
  var mayRestart: Bool { isSetBack || isUneven }
}

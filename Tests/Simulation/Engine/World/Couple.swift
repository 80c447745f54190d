import LatchkeyModel

/// A parent's and a child's machine, for the oracle.
struct Couple: Hashable {
  let parent: DeviceID
  let child: DeviceID
}

/// The troubles of a couple, after which the guarantees are weaker.
struct CouplePast {
  /// The number of times that one of the two was restored to an older state, lost it, or was copied.
  var setBacks = 0
  /// The two were paired again after only one of them had closed its streams.
  var isUneven = false
  /// One of the two was removed, or they were paired again.
  var isPairedAnew = false
  /// One was removed during a new pairing of the two, so that it is unknown which key the other answers with.
  var wasRemovedHalfPaired = false
  /// A machine that was set back gave out numbers a second time, and nothing told them from those of its lost past:
  /// Protocol/05-delivery.md §8.
  var hasUnnoticedNumbers = false

  var isSetBack: Bool { setBacks > 0 }
  /// One was restored again, perhaps before any item of a restarted stream was stored; items stored under its earlier
  /// numbers may then be lost.
  var isSetBackAgain: Bool { setBacks > 1 }
  var mayRestart: Bool { isSetBack || isUneven }
}

import LatchkeyModel

/// Of whoever checks: what is known of a parent's and a child's machine together.
struct Couple: Hashable {
  let parent: DeviceID
  let child: DeviceID
}

/// What befell a couple, after which less is promised.
struct CouplePast {
  /// How often one of the two was set back to an older state, lost it, or was copied.
  var setBacks = 0
  /// They were paired anew after only one of them had closed its streams.
  var isUneven = false
  /// Somebody was removed, or they were paired anew.
  var isPairedAnew = false
  /// One was removed while a new pairing of the two was half made: which of two keys the other then answers with, nobody knows.
  var wasRemovedHalfPaired = false
  /// A machine that was set back gave out numbers a second time, and nothing told them from those of its lost past:
  /// Protocol/05-delivery.md §8.
  var hasUnnoticedNumbers = false

  var isSetBack: Bool { setBacks > 0 }
  /// Set back again, perhaps before anything of a stream was stored that had begun anew for the first time: what was stored
  /// under its earlier numbers may be lost to the machine that was set back.
  var isSetBackAgain: Bool { setBacks > 1 }
  var mayRestart: Bool { isSetBack || isUneven }
}

import LatchkeyModel
import LatchkeyProtocol

/// The content of an inbox in memory for one peer.
enum HeldItems {
  /// Returns everything that waits for a commit, in the form in which the machine would pass it on.
  static func waiting(_ inbox: InboxMachine) -> [ItemRun] {
    var copy = inbox
    _ = copy.committed([])
    return copy.nextCommit() ?? []
  }

  /// Checks Protocol/05-delivery.md §3: each class has at most a window and one more item, and each
  /// item once.
  ///
  /// Items that are missing between two runs may come from a commit of an earlier session, which
  /// the store shows.
  static func check(_ runs: [ItemRun], _ what: String) throws(FuzzFault) {
    for streamClass in StreamClass.allCases {
      var (items, bytes) = (0, 0)
      var last: (epoch: UInt64, through: UInt64)?
      for run in runs where run.streamClass == streamClass {
        for item in run.items {
          if let last, last.epoch == run.epoch, item.sequence != 1 {
            try require(item.skipThrough > last.through, "\(item.sequence) is held twice \(what)")
          }
          last = (run.epoch, item.skipThrough)
          items += 1
          bytes += item.cost
        }
      }
      try require(
        items <= Limits.windowItems && bytes <= Limits.windowBytes + 65_536,
        "\(items) items and \(bytes) bytes of \(streamClass) \(what)")
    }
  }
}

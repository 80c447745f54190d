/// One-line mistakes that the store, or whoever runs the machines, could make.
///
/// Each has to be noticed within a bounded number of seeds: a simulator that notices nothing would be worth nothing.
///
/// They are made in the simulator's own store and glue; no code that runs in production can make them.
public enum DeliberateFault: String, CaseIterable, Sendable {
  /// Items are reported stored when their commit begins.
  case acknowledgeBeforeCommit = "acknowledge-before-commit"
  /// The watermark follows the effect in a transaction of its own.
  case watermarkInItsOwnTransaction = "watermark-in-its-own-transaction"
  /// A number that holds nothing is left out of what is loaded.
  case forgetSkips = "forget-skips"
  /// A restarted stream keeps its epoch.
  case reuseEpoch = "reuse-epoch"
  /// What was received and not committed counts as received in the next session.
  case keepReceivedAtNewSession = "keep-received-at-new-session"
  /// What was sent is forgotten without waiting for `stored`.
  case forgetWhatIsSent = "forget-what-is-sent"
  /// A number is given out in one transaction and its item kept in the next.
  case numberBeforeItem = "number-before-item"
  /// A sender goes on behind what it sent in the session before, and the receiver takes the gap.
  case takeGaps = "take-gaps"
  /// A new epoch goes on from the old one's watermark.
  case keepWatermarkAcrossEpochs = "keep-watermark-across-epochs"
  /// A commit of an old epoch's items counts, and is reported, for the new epoch.
  case reportOldEpochAsNew = "report-old-epoch-as-new"
  /// A restart leaves out the commands that were stored and not answered.
  case dropUnansweredAtRestart = "drop-unanswered-at-restart"
  /// A sign of life does not reset the back-off.
  case keepBackoff = "keep-backoff"
  /// The receiver's window is not looked at.
  case ignoreWindow = "ignore-window"
  /// A removal is taken without closing the streams of the removed device.
  case leaveStreamsAtRemoval = "leave-streams-at-removal"
  /// A command that ran out leaves a gap instead of a skip.
  case expireWithoutSkip = "expire-without-skip"
  /// A command that comes again under another number takes effect again.
  case forgetCommandIDs = "forget-command-ids"
  /// What the peer says of its last items is not compared with what was sent.
  case ignoreHeldItems = "ignore-held-items"
  /// A total is made of records that were given to a session.
  case mergeWhatWasSent = "merge-what-was-sent"
  /// What a full queue has no room for is dropped without a word to the parent.
  case dropWithoutLoss = "drop-without-loss"
  /// A cap is not held.
  case ignoreCaps = "ignore-caps"
  /// The key that a rotation replaced is erased before the parent has named the new one.
  case eraseKeyTooEarly = "erase-key-too-early"
  /// One return of a superseded run counts as proof of two live machines.
  case quarantineAtFirstReturn = "quarantine-at-first-return"
  /// Age is counted on the wall clock.
  case ageOnWallClock = "age-on-wall-clock"
  /// A removed device's items that wait for their commit are committed all the same.
  case takeFromRemoved = "take-from-removed"
  /// A silent session counts as alive for ever.
  case neverDeclareDead = "never-declare-dead"
  /// Of two sessions the newer is kept, whoever dialled it.
  case keepNewerSession = "keep-newer-session"
  /// A full disk during a commit is taken for success.
  case ignoreFailedCommit = "ignore-failed-commit"
  /// What a full disk had room for is in force, and nothing of what that brought about is told.
  case forgetParts = "forget-parts"
  /// When a commit of an earlier session fails, the session that is open meanwhile goes on.
  case endWrongSession = "end-wrong-session"
  /// What the peer has stored and is not noted yet is forgotten with the session.
  case forgetPendingAtEnd = "forget-pending-at-end"
  /// A link goes on with the streams that were closed by a removal, when the device is paired anew.
  case keepClosedStreams = "keep-closed-streams"
  /// What a commit of an earlier session has stored is not reported in the one that is open meanwhile.
  case reportInOldSession = "report-in-old-session"
  /// A call from before a pairing counts as proof that the pairing was rolled back.
  case discardByOlderCall = "discard-by-older-call"
  /// What was read of a peer longer ago takes the place of what was read since.
  case applyOlderLook = "apply-older-look"
  /// A receipt that the parent lost when it was set back is not sent again.
  case dropReceiptsAtRestart = "drop-receipts-at-restart"
  /// A command that is taken back leaves the earlier one lost that it had replaced.
  case forgetReplaced = "forget-replaced"
  /// An effect that was under way when the process ended is not taken up by the next one.
  case forgetPendingEffects = "forget-pending-effects"
  /// An effect whose outcome is recorded goes on being under way.
  case carryOutTwice = "carry-out-twice"
  /// The receipt says that a command is executed when its effect begins.
  case receiptBeforeOutcome = "receipt-before-outcome"
  /// An effect under way goes on although a later command for the same thing is in force.
  case keepSupersededEffects = "keep-superseded-effects"
}

extension DeliberateFault {
  /// Whether it is a mistake with effects that something outside the store carries out.
  var isOfEffects: Bool {
    [.forgetPendingEffects, .carryOutTwice, .receiptBeforeOutcome, .keepSupersededEffects].contains(self)
  }

  /// The troubles that have to meet for a mistake to show, where all of them together would show it too seldom.
  var troubles: [Scenario.Trouble]? {
    switch self {
    case .reportOldEpochAsNew: [.backup, .slowDisk, .reset]
    case .forgetParts: [.fullDisk, .slowDisk, .remove, .pairAnew]
    case .endWrongSession: [.fullDisk, .slowDisk, .reset]
    case .reportInOldSession: [.slowDisk, .reset, .delay]
    case .dropUnansweredAtRestart: [.backup, .reset, .slowDisk, .kill]
    case .dropReceiptsAtRestart: [.backup, .reset, .slowDisk, .kill]
    case .takeFromRemoved: [.pairAnew, .remove, .slowDisk, .delay]
    case .keepNewerSession: [.delay, .partition, .slowDisk]
    case .quarantineAtFirstReturn: [.delay, .kill]
    case .discardByOlderCall: [.pairAnew, .remove, .reset, .delay, .slowDisk]
    case .applyOlderLook: [.pairAnew, .remove, .reset, .kill]
    default: nil
    }
  }
}

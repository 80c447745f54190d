/// Mistakes of one line that the store or an interpreter of the machines could make.
///
/// The simulator must detect each within a limited number of seeds; otherwise it would prove nothing.
///
/// They exist only in the simulator's own store and interpreter; production code cannot make them.
public enum DeliberateFault: String, CaseIterable, Sendable {
  /// Items are reported stored when their commit begins.
  case acknowledgeBeforeCommit = "acknowledge-before-commit"
  /// The watermark follows the effect in a transaction of its own.
  case watermarkInItsOwnTransaction = "watermark-in-its-own-transaction"
  /// An empty number is omitted from a load.
  case forgetSkips = "forget-skips"
  /// A restarted stream keeps its epoch.
  case reuseEpoch = "reuse-epoch"
  /// Items that were received and not committed count as received in the next session.
  case keepReceivedAtNewSession = "keep-received-at-new-session"
  /// Sent items are deleted without waiting for `stored`.
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
  /// The last items that the peer states are not compared with the sent ones.
  case ignoreHeldItems = "ignore-held-items"
  /// A total is made of records that were given to a session.
  case mergeWhatWasSent = "merge-what-was-sent"
  /// Items that a full queue drops are not reported to the parent.
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
  /// The newer of two sessions is kept, whichever side dialed it.
  case keepNewerSession = "keep-newer-session"
  /// A full disk during a commit is taken for success.
  case ignoreFailedCommit = "ignore-failed-commit"
  /// Items that a full disk had space for are in force, but their effects are not reported.
  case forgetParts = "forget-parts"
  /// If a commit of an earlier session fails, the present session continues.
  case endWrongSession = "end-wrong-session"
  /// Reports of stored items that were not recorded yet are lost with the session.
  case forgetPendingAtEnd = "forget-pending-at-end"
  /// A link continues with streams that a removal closed, when the device is paired again.
  case keepClosedStreams = "keep-closed-streams"
  /// Items stored by a commit of an earlier session are not reported in the present one.
  case reportInOldSession = "report-in-old-session"
  /// A call from before a pairing counts as proof that the pairing was rolled back.
  case discardByOlderCall = "discard-by-older-call"
  /// An older reading of a peer replaces a newer one.
  case applyOlderLook = "apply-older-look"
  /// A receipt that the parent lost when it was set back is not sent again.
  case dropReceiptsAtRestart = "drop-receipts-at-restart"
  /// An effect that was under way when the process ended is not taken up by the next one.
  case forgetPendingEffects = "forget-pending-effects"
  /// An effect whose outcome is recorded goes on being under way.
  case carryOutTwice = "carry-out-twice"
  /// The receipt says that a command is executed when its effect begins.
  case receiptBeforeOutcome = "receipt-before-outcome"
  /// An edit reaches only some of the machines that it concerns.
  case loseEdit = "lose-edit"
  /// Of two edits of one register the one that arrives last holds, so that the order of arrival matters.
  case lastEditHolds = "last-edit-holds"
  /// A deleted register is forgotten, so that an earlier edit that arrives later holds again.
  case forgetDeletions = "forget-deletions"
  /// A machine is sent, and takes, registers of a child whom it does not serve.
  case tellSiblings = "tell-siblings"
  /// A machine is sent, and takes, facts about a child whom it does not serve.
  case tellSiblingsFacts = "tell-siblings-facts"
  /// A fact reaches only one of those that hold the child's facts.
  case loseFact = "lose-fact"
  /// An entry of a ledger that was received counts twice.
  case applyEntryTwice = "apply-entry-twice"
  /// Points are lent twice.
  case lendTwice = "lend-twice"
  /// Of two answers to one request the one that arrives last holds.
  case lastAnswerHolds = "last-answer-holds"
  /// A machine whose control stream begins anew is not sent back the facts that it made and has lost.
  case keepRestoredFacts = "keep-restored-facts"
  /// A span of learning earns on every machine on which the child learned.
  case earnTwice = "earn-twice"
}

extension DeliberateFault {
  /// A Boolean value that indicates whether the mistake shows with effects outside the store, whose receipts take a while.
  var isOfEffects: Bool {
    [
      .forgetPendingEffects, .carryOutTwice, .receiptBeforeOutcome, .dropUnansweredAtRestart, .dropReceiptsAtRestart,
    ].contains(self)
  }

  /// A Boolean value that indicates whether the mistake concerns registers.
  var isOfRegisters: Bool { [.loseEdit, .lastEditHolds, .forgetDeletions, .tellSiblings].contains(self) }

  /// A Boolean value that indicates whether the mistake concerns facts.
  var isOfFacts: Bool {
    [.tellSiblingsFacts, .loseFact, .applyEntryTwice, .lendTwice, .lastAnswerHolds, .keepRestoredFacts, .earnTwice]
      .contains(self)
  }

  /// The troubles that have to meet for a mistake to show, where all of them together would show it too seldom.
  var troubles: [Scenario.Trouble]? {
    switch self {
    case .reportOldEpochAsNew: [.backup, .slowDisk, .reset]
    case .forgetParts: [.fullDisk, .slowDisk, .remove, .pairAnew]
    case .endWrongSession: [.fullDisk, .slowDisk, .reset]
    case .reportInOldSession: [.slowDisk, .reset, .delay]
    case .dropUnansweredAtRestart: [.backup, .reset, .slowDisk, .kill]
    // What a second restore of one machine loses proves nothing, so that there must be few of them.
    case .dropReceiptsAtRestart: [.backup, .slowDisk, .kill] + Array(repeating: .reset, count: 12)
    case .takeFromRemoved: [.pairAnew, .remove, .slowDisk, .delay]
    case .keepNewerSession: [.delay, .partition, .slowDisk]
    case .quarantineAtFirstReturn: [.delay, .kill]
    case .discardByOlderCall: [.pairAnew, .remove, .reset, .delay, .slowDisk]
    case .keepRestoredFacts: [.backup, .reset, .kill]
    case .applyOlderLook: [.pairAnew, .remove, .reset, .kill]
    default: nil
    }
  }
}

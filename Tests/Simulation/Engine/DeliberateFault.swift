/// A one-line mistake that the store or an interpreter of the machines could make.
///
/// The simulator must detect each within a limited number of seeds; otherwise it would prove
/// nothing. The mistakes exist only in the simulator's own store and interpreter. Production code
/// cannot make them.
public enum DeliberateFault: String, CaseIterable, Sendable {
  /// Items are reported as stored when their commit begins.
  case acknowledgeBeforeCommit = "acknowledge-before-commit"
  /// The watermark is raised in its own transaction, after the effect.
  case watermarkInItsOwnTransaction = "watermark-in-its-own-transaction"
  /// An empty number is omitted from a load.
  case forgetSkips = "forget-skips"
  /// A restarted stream keeps its epoch.
  case reuseEpoch = "reuse-epoch"
  /// Items that were received but not committed count as received in the next session.
  case keepReceivedAtNewSession = "keep-received-at-new-session"
  /// Sent items are deleted without waiting for `stored`.
  case forgetWhatIsSent = "forget-what-is-sent"
  /// A number is assigned in one transaction, and its item is stored in the next.
  case numberBeforeItem = "number-before-item"
  /// A sender continues after what it sent in the session before, and the receiver accepts the gap.
  case takeGaps = "take-gaps"
  /// A new epoch continues from the old one's watermark.
  case keepWatermarkAcrossEpochs = "keep-watermark-across-epochs"
  /// A commit of an old epoch's items counts, and is reported, for the new epoch.
  case reportOldEpochAsNew = "report-old-epoch-as-new"
  /// A restart leaves out commands that were stored but not answered.
  case dropUnansweredAtRestart = "drop-unanswered-at-restart"
  /// A sign of life does not reset the back-off.
  case keepBackoff = "keep-backoff"
  /// The receiver's window is ignored.
  case ignoreWindow = "ignore-window"
  /// A removal is accepted without closing the streams of the removed device.
  case leaveStreamsAtRemoval = "leave-streams-at-removal"
  /// An expired command leaves a gap instead of a skip.
  case expireWithoutSkip = "expire-without-skip"
  /// A command that comes again under another number takes effect again.
  case forgetCommandIDs = "forget-command-ids"
  /// The last items that the peer states are not compared with the sent ones.
  case ignoreHeldItems = "ignore-held-items"
  /// A total includes records that were given to a session.
  case mergeWhatWasSent = "merge-what-was-sent"
  /// Items that a full queue drops are not reported to the parent.
  case dropWithoutLoss = "drop-without-loss"
  /// A cap is exceeded.
  case ignoreCaps = "ignore-caps"
  /// The key that a rotation replaced is erased before the parent has named the new one.
  case eraseKeyTooEarly = "erase-key-too-early"
  /// One return of a superseded run counts as proof of two live machines.
  case quarantineAtFirstReturn = "quarantine-at-first-return"
  /// Age is counted on the wall clock.
  case ageOnWallClock = "age-on-wall-clock"
  /// A removed device's items that wait for their commit are committed nevertheless.
  case takeFromRemoved = "take-from-removed"
  /// A silent session counts as alive for ever.
  case neverDeclareDead = "never-declare-dead"
  /// The newer of two sessions is kept, whichever side dialed it.
  case keepNewerSession = "keep-newer-session"
  /// A commit that a full disk refused counts as a success.
  case ignoreFailedCommit = "ignore-failed-commit"
  /// Items for which a full disk had space are in force, but their effects are not reported.
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
  /// An effect that was under way when the process ended is forgotten by the next process.
  case forgetPendingEffects = "forget-pending-effects"
  /// An effect with a recorded outcome stays under way.
  case carryOutTwice = "carry-out-twice"
  /// The receipt says that a command is executed when its effect begins.
  case receiptBeforeOutcome = "receipt-before-outcome"
  /// An edit reaches only some of the machines that it concerns.
  case loseEdit = "lose-edit"
  /// Of two edits of one register, the one that arrives last wins, so that the order of arrival
  /// matters.
  case lastEditHolds = "last-edit-holds"
  /// A deleted register is forgotten, so that an earlier edit that arrives later is in force again.
  case forgetDeletions = "forget-deletions"
  /// A machine is sent, and accepts, registers of a child whom it does not serve.
  case tellSiblings = "tell-siblings"
  /// A machine is sent, and accepts, facts about a child whom it does not serve.
  case tellSiblingsFacts = "tell-siblings-facts"
  /// A fact reaches only one of the devices that hold the child's facts.
  case loseFact = "lose-fact"
  /// A received entry of a ledger counts twice.
  case applyEntryTwice = "apply-entry-twice"
  /// Points are lent twice.
  case lendTwice = "lend-twice"
  /// Of two answers to one request, the one that arrives last wins.
  case lastAnswerHolds = "last-answer-holds"
  /// A machine whose control stream restarts does not get back the facts that it made and has lost.
  case keepRestoredFacts = "keep-restored-facts"
  /// A span of learning earns on every machine on which the child learned.
  case earnTwice = "earn-twice"
  /// A machine does not give its lists to a parent that is paired or was restored.
  case forgetLists = "forget-lists"
}

extension DeliberateFault {
  /// A Boolean value that indicates whether the mistake shows with effects outside the store, whose
  /// receipts come later.
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

  /// The troubles that must coincide for the mistake to show, if all of them together would show it
  /// too seldom.
  var troubles: [Scenario.Trouble]? {
    switch self {
    case .reportOldEpochAsNew: [.backup, .slowDisk, .reset]
    case .forgetParts: [.fullDisk, .slowDisk, .remove, .pairAnew]
    case .endWrongSession: [.fullDisk, .slowDisk, .reset]
    case .reportInOldSession: [.slowDisk, .reset, .delay]
    case .dropUnansweredAtRestart: [.backup, .reset, .slowDisk, .kill]
    // A second restore of a machine proves nothing about what it loses, so restores must be few.
    case .dropReceiptsAtRestart: [.backup, .slowDisk, .kill] + Array(repeating: .reset, count: 12)
    case .takeFromRemoved: [.pairAnew, .remove, .slowDisk, .delay]
    case .keepNewerSession: [.delay, .partition, .slowDisk]
    case .quarantineAtFirstReturn: [.delay, .kill]
    case .discardByOlderCall: [.pairAnew, .remove, .reset, .delay, .slowDisk]
    case .keepRestoredFacts, .forgetLists: [.backup, .reset, .kill]
    case .applyOlderLook: [.pairAnew, .remove, .reset, .kill]
    // Both parents must answer before one learns of the other's answer.
    case .lastAnswerHolds: [.partition, .delay]
    default: nil
    }
  }
}

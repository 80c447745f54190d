import LatchkeyModel
import LatchkeyProtocol

/// One session of a link, from the end of its handshake on.
final class SimulatedSession {
  /// Work that a signal wakes and that goes on until there is none.
  struct Pump {
    var isRunning = false
    var isSignalled = false
  }

  private enum Core {
    case plain(SessionRules)
    case sealed(SessionMachine)
  }

  let number: Int
  let port: Port
  let isInitiator: Bool
  /// The key it was opened with.
  let pairwiseKey: [UInt8]
  /// The key of a half-made pairing that our call offered.
  let offeredKey: [UInt8]?
  let openedAt: BootInstant
  private var core: Core
  /// Called when all of it is over.
  let ended: () -> Void
  var outboxPump = Pump()
  var inboxPump = Pump()
  var forgetPump = Pump()
  /// Whether its reader or its clock has ended: what is under way is finished, nothing is begun.
  var isEnding = false
  var isOver = false
  /// When both sides say again what they hold.
  var reconcileAt = BootInstant(milliseconds: 0)
  /// Counts waits for the clock: the last one counts.
  var waits = 0
  /// Where the peer was told that it can call.
  var reach: Int?
  var windowItems = Int.max
  var windowBytes = Int.max
  /// What was sent and not reported stored, by the simulation's own count.
  var onTheWay: [StreamClass: [DeliveryItem]] = [:]
  var epochs: [StreamClass: UInt64] = [:]

  init(
    number: Int, port: Port, sealing: Sealing, isInitiator: Bool, pairwiseKey: [UInt8], offeredKey: [UInt8]?,
    now: BootInstant, ended: @escaping () -> Void
  ) {
    self.number = number
    self.port = port
    self.isInitiator = isInitiator
    self.pairwiseKey = pairwiseKey
    self.offeredKey = offeredKey
    self.ended = ended
    openedAt = now
    switch sealing {
    case .plain: core = .plain(SessionRules(now: now))
    case .noise(let transport): core = .sealed(SessionMachine(transport: transport, now: now))
    }
  }

  func seal(_ batch: SessionBatch, now: BootInstant) throws(SessionFault) -> Frame {
    switch core {
    case .plain(var rules):
      if rules.sealing(now: now) { rules.rekeyed(now: now) }
      core = .plain(rules)
      return .plain(batch, connection: port.connection.number)
    case .sealed(var machine):
      let frame = try machine.seal(batch, now: now)
      core = .sealed(machine)
      return .sealed(frame)
    }
  }

  func open(_ frame: Frame, now: BootInstant) throws(SessionFault) -> SessionBatch {
    switch (core, frame) {
    case (.plain(var rules), .plain(let batch, let connection)):
      // What was said on another connection is sealed with another key.
      guard connection == port.connection.number else { throw .authentication }
      try rules.received(batch, now: now)
      core = .plain(rules)
      return batch
    case (.sealed(var machine), .sealed(let bytes)):
      let batch = try machine.received(bytes, now: now)
      core = .sealed(machine)
      return batch
    default: throw .authentication
    }
  }

  /// The ping to send, because something speaks against the session.
  func doubted(now: BootInstant) -> UInt64? {
    switch core {
    case .plain(var rules):
      let ping = rules.doubted(now: now)
      core = .plain(rules)
      return ping
    case .sealed(var machine):
      let ping = machine.doubted(now: now)
      core = .sealed(machine)
      return ping
    }
  }

  var mayBeReplaced: Bool {
    switch core {
    case .plain(let rules): rules.mayBeReplaced
    case .sealed(let machine): machine.mayBeReplaced
    }
  }

  var nextTimer: BootInstant {
    switch core {
    case .plain(let rules): rules.nextTimer
    case .sealed(let machine): machine.nextTimer
    }
  }

  func timerFired(now: BootInstant) -> SessionRules.TimerEffect? {
    switch core {
    case .plain(var rules):
      let effect = rules.timerFired(now: now)
      core = .plain(rules)
      return effect
    case .sealed(var machine):
      let effect = machine.timerFired(now: now)
      core = .sealed(machine)
      return effect
    }
  }
}

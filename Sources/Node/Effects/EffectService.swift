import LatchkeyModel

/// A service that passes pending effects to their carriers and records the outcomes.
///
/// It begins with the effects of earlier runs. One without a carrier waits until its time ends.
///
/// Spec: Protocol/05-delivery.md §7.
struct EffectService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  let carriers: [any EffectCarrier]
  /// Milliseconds before the next try after a fault of the disk.
  private static let pause: Int64 = 5_000

  /// Runs until it is cancelled, also without carriers: a service that ends takes the node with it.
  func run() async {
    let known = Dictionary(carriers.map { ($0.kind, $0) }) { first, _ in first }
    await withDiscardingTaskGroup { group in
      var taken: Set<CommandID> = []
      await context.effectChanges.follow(retry: Self.pause, "effects could not be looked at", context.logger) {
        let pending = try await context.store.pendingEffects()
        // An effect with an outcome is not passed on again, and needs no space.
        taken.formIntersection(pending.map(\.commandID))
        for effect in pending where !taken.contains(effect.commandID) {
          guard let carrier = known[effect.payload.kind] else { continue }
          taken.insert(effect.commandID)
          group.addTask { await finish(effect.commandID, await carrier.carryOut(effect)) }
        }
        return nil
      }
    }
  }

  /// Records an outcome; on a full disk once there is room.
  private func finish(_ id: CommandID, _ outcome: EffectOutcome) async {
    CrashPoint.effectCarriedOut.reached()
    await context.diskChanges.first(pace: Self.pause) {
      do {
        guard let change = try await context.store.finishEffect(id, outcome, at: context.wall()) else { return () }
        await directory.committed([change])
        context.changes.notify()
        return ()
      } catch {
        context.logger.error("an outcome could not be recorded", metadata: ["reason": "\(error)"])
        return nil
      }
    }
  }
}

/// Carries out the effects of one kind of command that need something outside the database, such as
/// an agent that closes programs.
///
/// An effect is given to its carrier once in each run of the node, until it has an outcome. A
/// carrier may be given one that it had carried out before the process ended, and must be able to
/// do it again without harm.
public protocol EffectCarrier: Sendable {
  var kind: CommandKind { get }

  /// Carries an effect out and returns its outcome, or `underWay` if this run will have none.
  ///
  /// The task is cancelled when the node stops.
  func carryOut(_ effect: PendingEffect) async -> EffectOutcome
}

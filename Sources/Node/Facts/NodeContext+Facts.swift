import LatchkeyModel
import LatchkeyStore

extension NodeContext {
  /// Makes facts, edits and commands durable in one transaction, and sends them to the machines
  /// that they concern.
  ///
  /// Spec: Protocol/12-facts.md §5.
  func act<Value: Sendable>(
    _ directory: LinkDirectory,
    _ make: @escaping @Sendable (inout DatabaseEffects, ClockReader) throws -> (Value, ActOrders)
  ) async throws(StoreError) -> FactResult<Value> {
    let result = try await store.act(editMaker, at: wall(), make: make)
    guard result.hasEdits || !result.changes.isEmpty || !result.facts.isEmpty else { return result }
    CrashPoint.itemAccepted.reached()
    await publish(result.changes, result.commands, isEdit: result.hasEdits, directory)
    if !result.facts.isEmpty || !result.hasEdits { factNews.notify() }
    return result
  }

  /// Sends what is durable now, and wakes everybody who waits for it.
  func publish(
    _ changes: [OutboxChange], _ commands: [ConfigurationCommand], isEdit: Bool, _ directory: LinkDirectory
  ) async {
    await directory.committed(changes)
    self.changes.notify()
    if isEdit { householdNews.notify() }
    if commands.contains(where: { $0.expiresAfter != nil }) { expiryChanges.notify() }
  }
}

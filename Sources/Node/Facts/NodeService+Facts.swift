import LatchkeyModel
import LatchkeyStore

/// Facts that people make.
///
/// Spec: Protocol/12-facts.md §5.
extension NodeService {
  /// Makes facts and edits durable and sends them to the machines that they concern.
  func act<Value: Sendable>(
    _ make: @escaping @Sendable (inout DatabaseEffects, ClockReader) throws -> (Value, ActOrders)
  ) async throws(LocalAPIError) -> (value: Value, commands: [ConfigurationCommand]) {
    let result: FactResult<Value>
    do { result = try await context.act(directory, make) } catch { throw LocalAPIError(error) }
    if !result.commands.isEmpty { context.householdNews.notify() }
    if result.commands.contains(where: { $0.expiresAfter != nil }) { context.expiryChanges.notify() }
    return (result.value, result.commands)
  }

  /// Returns what a child's machine or a parent's knows of its children, read from one state of the database.
  func look<Value: Sendable>(
    _ body: @escaping @Sendable (DatabaseEffects) throws -> Value
  ) async throws(LocalAPIError) -> Value {
    try await stored { () async throws(StoreError) in try await context.store.look(body) }
  }

  /// Returns the child that a person named, or the only one.
  static func child(_ text: String?, in household: Household) throws(LocalAPIError) -> ChildID {
    if let text { return try find(text, in: household) }
    guard let only = household.children.first else {
      throw LocalAPIError(.unknownChild, "No child is known here yet: `latchkey children` lists them.")
    }
    guard household.children.count == 1 else {
      throw LocalAPIError(
        .ambiguousChild,
        "There is more than one child: say which, \(household.children.map(\.name).joined(separator: " or "))."
      )
    }
    return only.id
  }

  /// Throws unless this is a child's machine.
  func checkIsChild(_ sentence: String) throws(LocalAPIError) {
    guard context.profile.role == .child else { throw LocalAPIError(.wrongRole, sentence) }
  }
}

extension NodeContext {
  /// Makes facts and edits durable, and sends them.
  func act<Value: Sendable>(
    _ directory: LinkDirectory,
    _ make: @escaping @Sendable (inout DatabaseEffects, ClockReader) throws -> (Value, ActOrders)
  ) async throws(StoreError) -> FactResult<Value> {
    let result = try await store.act(editMaker, at: wall(), make: make)
    guard !result.changes.isEmpty || !result.facts.isEmpty else { return result }
    CrashPoint.itemAccepted.reached()
    await directory.committed(result.changes)
    changes.notify()
    factNews.notify()
    return result
  }
}

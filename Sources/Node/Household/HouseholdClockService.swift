import LatchkeyModel

/// A service that keeps the household's clock of a child's machine.
///
/// Spec: Protocol/11-rules.md §4.
struct HouseholdClockService: Sendable {
  let context: NodeContext
  /// Milliseconds between two readings while nothing runs.
  private static let pause: Int64 = 30_000

  func run() async {
    while !Task.isCancelled {
      await context.tickHouseholdTime()
      do { try await Task.sleep(for: .milliseconds(Self.pause)) } catch { return }
    }
  }
}

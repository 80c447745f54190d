import LatchkeyModel
import Synchronization

/// The latest notices for the children of this machine, in memory alone.
///
/// Spec: Protocol/07-local-api.md §4.
final class NoticeBoard: Sendable {
  /// The most notices that are kept for a child; the oldest are forgotten first.
  static let capacity = 64
  /// The time within which the same sentence about the same thing is not told again, in
  /// milliseconds.
  static let repetitionMilliseconds: Int64 = 10_000

  /// Who reads a notice.
  enum Reader: Hashable, Sendable {
    case child(ChildID)
    /// Whoever uses an account that several children share, while none has said who is there.
    case account(UInt32)
  }

  private struct State {
    var last: Int
    var notices: [Reader: [ChildNotice]] = [:]
  }

  private let state: Mutex<State>
  let changes = ChangeSignal()

  /// Creates an empty board whose numbers begin above those of an earlier run in the same boot.
  ///
  /// - Parameter first: A number that has grown since the earlier run, such as the microseconds of
  ///   the boot clock.
  init(numbersFrom first: Int) { state = Mutex(State(last: max(0, first))) }

  /// Adds a notice for a child, in the place of an earlier one with the same key.
  func post(_ kind: ChildNotice.Kind, key: String, _ sentence: Phrase, to child: ChildID, at instant: BootInstant) {
    post(kind, key: key, sentence, to: .child(child), at: instant)
  }

  /// Adds a notice for a reader, in the place of an earlier one with the same key.
  func post(_ kind: ChildNotice.Kind, key: String, _ sentence: Phrase, to reader: Reader, at instant: BootInstant) {
    let isNews = state.withLock { state in
      var notices = state.notices[reader] ?? []
      if let old = notices.first(where: { $0.key == key }), old.kind == kind, old.sentence == sentence,
        abs(instant - old.at) < Self.repetitionMilliseconds
      {
        return false
      }
      notices.removeAll { $0.key == key }
      state.last += 1
      notices.append(ChildNotice(number: state.last, key: key, kind: kind, sentence: sentence, at: instant))
      state.notices[reader] = Array(notices.suffix(Self.capacity))
      return true
    }
    if isNews { changes.notify() }
  }

  /// Returns the notices for a child with a higher number, the oldest first.
  func notices(for child: ChildID, after number: Int) -> [ChildNotice] { notices(for: .child(child), after: number) }

  /// Returns the notices for a reader with a higher number, the oldest first.
  func notices(for reader: Reader, after number: Int) -> [ChildNotice] {
    state.withLock { state in (state.notices[reader] ?? []).filter { $0.number > number } }
  }

  /// Forgets the notices of all children but these.
  func keep(_ children: [ChildID]) {
    state.withLock { state in
      state.notices = state.notices.filter { reader, _ in
        if case .child(let child) = reader { children.contains(child) } else { true }
      }
    }
  }
}

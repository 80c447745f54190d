import LatchkeyModel

/// Who uses an account of a child's machine.
///
/// Spec: Protocol/10-household.md §3.
enum AccountUser: Hashable, Sendable {
  /// No child: the account is not supervised.
  case nobody
  case child(ChildID)
  /// Children who share the account, and of whom none has said who is there, in the order of their
  /// IDs.
  case together([ChildID])

  /// The children for whom use counts.
  var children: [ChildID] {
    switch self {
    case .nobody: []
    case .child(let child): [child]
    case .together(let children): children
    }
  }

  /// The only child for whom use counts; `nil` for none and for several.
  var onlyChild: ChildID? { if case .child(let child) = self { child } else { nil } }
}

/// A change at a node, as `GET /v1/events` reports it, without the changed content.
///
/// A receiver requests the content from the ordinary route, so that rights are checked in one
/// place.
///
/// Spec: Protocol/07-local-api.md §4.
public struct ChangeEvent: Hashable, Sendable, Codable {
  /// The kind of a change.
  public enum About: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first event of a stream: `number` is that of the last change before it.
    case start
    /// Changes were missed, so that the receiver has to read everything again.
    case reset
    /// A child's request, or the answer to it.
    case request
    /// A child's day: use, running programs, effects of rules; at most once a second for a child.
    case today
    /// A machine: its connection, its name, or its assignment.
    case device
    /// A condition that weakens rules on a machine.
    case condition
    case command
    /// The rules of a child or, without one, of the family.
    case rules
    case points
    /// A text for the person at this machine.
    case message
    case pairing
    /// The members of the household: children, accounts, and parents.
    case member
    /// The programs that are installed on a machine, or were refused there.
    case application
    case notice
    case browser
  }

  /// The number of the change, counted from the node's start.
  public var number: Int
  public var about: About
  public var child: ChildID?
  public var device: DeviceID?
  /// The request or command.
  public var id: CommandID?
  /// A word for the change if the kind has several, such as `asked` or a command's status.
  public var change: String?

  public init(
    _ about: About, child: ChildID? = nil, device: DeviceID? = nil, id: CommandID? = nil, change: String? = nil,
    number: Int = 0
  ) {
    (self.about, self.child, self.device, self.id, self.change) = (about, child, device, id, change)
    self.number = number
  }

  public func concerns(dayOf child: ChildID) -> Bool {
    switch about {
    case .start, .reset, .today, .rules, .points, .request, .member: self.child == nil || self.child == child
    case .device, .condition, .command, .message, .pairing, .application, .notice, .browser: false
    }
  }
}

import LatchkeyModel

/// Something that a child asked the parents for, as the local API shows it.
package struct RequestListing: Hashable, Sendable, Codable {
  /// What became of a request.
  package enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// A parent can answer it.
    case open
    /// A parent said yes.
    case approved
    /// A parent said no.
    case denied
    /// The day ended without an answer.
    case expired
  }

  /// A parent's answer.
  package struct Answer: Hashable, Sendable, Codable {
    /// A Boolean value that indicates whether the parent said yes.
    package var isApproved: Bool
    /// The minutes that the parent gave; `nil` if they are those asked for, or none were.
    package var minutes: Int?
    /// A word with it, which may be empty.
    package var word: String
    /// The name of the machine on which it was given.
    package var by: DeviceName
    /// When it was given, in Unix milliseconds by that machine's clock.
    package var at: Int64
  }

  /// A parent's machine that has stored the request.
  package struct Told: Hashable, Sendable, Codable {
    package var name: DeviceName
    /// When it said so, in Unix milliseconds by this machine's clock.
    package var at: Int64
  }

  package var requestID: CommandID
  /// The shortest beginning of the ID that fits no other request, at least 4 characters.
  package var short: String
  package var childName: DeviceName
  /// The name of the machine on which the child asked.
  package var deviceName: DeviceName
  /// The minutes asked for; `nil` if the child asked for an application.
  package var minutes: Int?
  /// The application that the child asked for, or for which the time is.
  package var appID: AppID?
  /// What people call that application.
  package var appName: String?
  /// The category for whose applications the time is.
  package var category: AppCategory?
  /// The child's reason, which may be empty.
  package var reason: String
  /// When the child asked, in Unix milliseconds by the household's time there.
  package var askedAt: Int64
  /// The family's day, with which the request expires.
  package var day: FamilyDay
  package var state: State
  /// The answer that holds; `nil` for none.
  package var answer: Answer?
  /// Answers that came second and have no effect.
  package var overtaken: [Answer] = []
  /// The parents' machines that have it already, in the answer to the child's question; `nil`
  /// elsewhere.
  package var told: [Told]?
  /// `true` in the answer to a question whose `idempotency-key` was used before, so that nothing
  /// was asked; `nil` otherwise.
  package var isRepeated: Bool?
}

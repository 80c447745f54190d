import Foundation
import Glibc
import LatchkeyNode
import LatchkeySystem

/// What is shown on the desktop until it is answered, kept for a notifier that takes the place of a
/// killed one.
///
/// It is a file in the session's folder, which ends with the session as the notifications do.
struct ShownMemory {
  /// The content of the file.
  private struct Content: Codable, Equatable {
    /// The notification service's name on the bus, which no other service gets.
    var owner: String
    /// The number of each notification, by what it is about.
    var numbers: [String: UInt32]
  }

  private let path: String
  private var last: Content?

  /// Uses the session's folder; `nil` without one.
  init?(_ variables: [String: String]) {
    guard let folder = variables["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
    path = folder + "/latchkey-notify.json"
  }

  /// Returns what an earlier notifier has shown by the same service, and what that service's
  /// notifications are known by now.
  func recalled(_ desktop: any NotificationDesktop) -> [String: NotificationID] {
    guard let owner = desktop.owner(), let bytes = FileManager.default.contents(atPath: path),
      let content = try? JSONDecoder().decode(Content.self, from: bytes), content.owner == owner.name
    else { return [:] }
    return content.numbers.mapValues { NotificationID(owner.generation, $0) }
  }

  /// Keeps what is shown now.
  ///
  /// A fault is no reason to show less: then a killed notifier's notices stay until somebody closes
  /// them.
  mutating func keep(_ shown: [String: NotificationID], on desktop: any NotificationDesktop) {
    if shown.isEmpty, last == nil || last?.numbers.isEmpty == true { return }
    guard let owner = desktop.owner() else { return }
    let numbers = shown.filter { $0.value.generation == owner.generation }.mapValues(\.number)
    let content = Content(owner: owner.name, numbers: numbers)
    guard content != last, let bytes = try? JSONEncoder().encode(content) else { return }
    last = content
    try? DurableFile.replace(path, with: Array(bytes))
  }
}

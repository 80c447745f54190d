import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules
import LatchkeySystem

struct NoticesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notices", abstract: "What parents were told, and what they are told of.",
    discussion: "Example: latchkey notices", subcommands: [NoticesListSubcommand.self, NoticesSetSubcommand.self],
    defaultSubcommand: NoticesListSubcommand.self)
}

struct NoticesListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what parents were told, the newest last.",
    discussion: """
      `latchkey notify` shows them on the desktop, each once. What is over, such as a request that was answered, is listed as \
      that.

      Example: latchkey notices list
      """)

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let interface = try await listing.node.open()
    let found = try await interface.ask(Endpoints.getNotices, nil)
    if listing.format == .json { return try console.write(JSONText.pretty(found)) }
    let family = try await RuleOwner.family.rules(at: interface)
    let zone = FamilyClock(family).zone
    try console.write(
      TableText.render(
        ["When", "Notice", ""], wrap: [1],
        rows: found.notices.map { notice in
          [TimeText.short(notice.at, zone: zone), notice.sentence, notice.isOver ? "over" : ""]
        }, empty: "Parents were told nothing yet."))
    let set = family.rules.filter { $0.key.text.hasPrefix("family/notices/") }
    for sentence in RuleText.phrases(set.map { ($0.key, $0.value) }, family.terms) {
      console.note(ShownText.safe("For the family: \(sentence)."))
    }
  }
}

struct NoticesSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Choose what the family's parents are told, and when.",
    discussion: """
      The choice is the whole family's and holds on each parent's machine. In quiet hours nothing is shown; what still matters \
      is shown when they end.

      Example: latchkey notices set --limits off --quiet "22:00-07:00"
      """)

  enum Told: String, WordArgument {
    case on, off
  }

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Option(help: .value("on|off", "A child asks for time or an application.")) var requests: Told?
  @Option(help: .value("on|off", "A child has used up a limit.")) var limits: Told?

  @Option(help: .value("on|off", "A machine has been silent for two days, or is there again.")) var machines: Told?

  @Option(help: .value("on|off", "Rules are weakened, or not in force an hour after they were set.")) var rules: Told?

  @Option(help: .value("on|off", "Another parent's machine has joined.")) var parents: Told?
  @Option(help: .value("on|off", "Learning waits for a review.")) var reviews: Told?

  @Option(help: .value("times|none", "When nothing is shown, such as \"22:00-07:00\", or none.")) var quiet: String?

  mutating func validate() throws {
    guard !changes.isEmpty else { throw ValidationError("Nothing is to be changed: give at least one option.") }
  }

  func run() async throws {
    try await RuleIssue.set(RuleRequest(changes), of: .family, at: node.open(), options: options)
  }

  private var changes: [RuleRequest.Change] {
    let told = [
      (NoticeRule.requests, requests), (NoticeRule.limits, limits), (NoticeRule.machines, machines),
      (NoticeRule.rules, rules), (NoticeRule.parents, parents), (NoticeRule.reviews, reviews),
    ]
    return told.compactMap { kind, value in value.map { kind.key.change(kind.text($0 == .on)) } }
      + TimesText.changes(of: NoticeRule.quiet.key.text, to: quiet)
  }
}

/// The notices on a desktop, by what they are about.
struct ShownNotices {
  /// What a notice says, and what can be pressed.
  struct Notice: Hashable {
    var title: String
    var sentence: String
    var actions: [DesktopNotification.Action] = []
    /// What to type instead, on a desktop without buttons.
    var words = ""
    /// A Boolean value that indicates whether it is shown until it is answered or withdrawn.
    var stays = false
  }

  /// The most notices that are kept, to be replaced; the oldest are forgotten first.
  private static let capacity = 64

  private let desktop: any NotificationDesktop
  private var shown: [(key: String, notice: Notice, id: NotificationID)] = [] { didSet { remember() } }
  private var memory: ShownMemory?

  init(_ desktop: any NotificationDesktop, memory: ShownMemory? = nil) {
    (self.desktop, self.memory) = (desktop, memory)
  }

  private mutating func remember() {
    guard var memory else { return }
    let staying = shown.filter(\.notice.stays).map { ($0.key, $0.id) }
    memory.keep(Dictionary(staying) { $1 }, on: desktop)
    self.memory = memory
  }

  /// Returns what an earlier notifier has shown and is to be answered yet.
  func recalled() -> [String: NotificationID] { memory?.recalled(desktop) ?? [:] }

  /// Takes over a notification that an earlier notifier has shown.
  mutating func adopt(_ id: NotificationID, _ notice: Notice, key: String) { shown.append((key, notice, id)) }

  /// Withdraws a notification that an earlier notifier has shown.
  func withdraw(_ id: NotificationID) { desktop.withdraw(id) }

  /// Shows a notice, in the place of the last one with the same key.
  mutating func show(_ notice: Notice, key: String) throws(NotificationFault) {
    let capabilities = try desktop.capabilities()
    let hasActions = capabilities.contains("actions")
    let text = ShownText.safe(notice.sentence) + (hasActions || notice.words.isEmpty ? "" : " \(notice.words)")
    let id = try desktop.show(
      DesktopNotification(
        title: ShownText.safe(notice.title), body: capabilities.contains("body-markup") ? Self.escaped(text) : text,
        actions: hasActions ? notice.actions : [], stays: notice.stays), replacing: shown.first { $0.key == key }?.id)
    shown.removeAll { $0.key == key || $0.id == id }
    shown.append((key, notice, id))
    shown = Array(shown.suffix(Self.capacity))
  }

  func key(of id: NotificationID) -> String? { shown.first { $0.id == id }?.key }

  mutating func withdraw(_ key: String) {
    guard let index = shown.firstIndex(where: { $0.key == key }) else { return }
    desktop.withdraw(shown.remove(at: index).id)
  }

  /// Forgets a notice that a person or the desktop has closed.
  mutating func forget(_ id: NotificationID) { shown.removeAll { $0.id == id } }

  /// Gives a notice another key, so that what is shown by that one takes its place.
  mutating func move(_ key: String, to other: String) {
    guard let index = shown.firstIndex(where: { $0.key == key }) else { return }
    shown[index].key = other
  }

  /// Shows again what was to stay and an earlier service has shown.
  mutating func showAgain(by generation: Int) throws(NotificationFault) {
    let gone = shown.filter { $0.id.generation < generation }
    shown.removeAll { $0.id.generation < generation && !$0.notice.stays }
    for (key, notice, _) in gone where notice.stays { try show(notice, key: key) }
  }

  /// Returns a text that the service shows as it is, without reading markup in it.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}

/// What is shown on the desktop until it is answered, kept for a notifier that takes the place of a
/// killed one.
///
/// It is a file in the session's folder, which ends with the session as the notifications do.
struct ShownMemory {
  private struct Content: Codable, Equatable {
    /// The notification service's name on the bus, which no other service gets.
    var owner: String
    /// The number of each notification, by what it is about.
    var numbers: [String: UInt32]
  }

  private let path: String
  private var last: Content?

  /// Returns `nil` without a session's folder in the environment.
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

  /// Keeps what is shown; after a fault, a killed notifier's notices stay until they are closed.
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

/// The desktop on which notices are shown; tests put their own in its place.
protocol NotificationDesktop: Sendable {
  /// What happens on it, for one reader.
  var events: AsyncStream<NotificationService.Event> { get }
  func capabilities() throws(NotificationFault) -> Set<String>
  func show(_ notification: DesktopNotification, replacing old: NotificationID?) throws(NotificationFault)
    -> NotificationID
  func withdraw(_ notification: NotificationID)
  /// The service that shows them at present; `nil` if there is none.
  func owner() -> NotificationService.Owner?
}

extension NotificationService: NotificationDesktop {}

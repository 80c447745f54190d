import ArgumentParser
import Foundation
import Glibc
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode

/// What all kinds of receiver are asked when they are set up.
struct ReceiverOptions: ParsableArguments {
  @OptionGroup var node: NodeOptions

  @Option(help: .value("name", "What to call it; the word for its kind when not given.")) var name: String?

  @Option(
    help: .value(
      "file", "A file with the password or token in it, which nobody else can read; it is asked for when not given."),
    completion: .file())
  var secretFile: String?

  mutating func validate() throws {
    if let name, let fault = NewReceiver(name: name, kind: .ntfy).textFault { throw ValidationError(fault) }
  }

  /// Returns the secret of `--secret-file` or, without it, what a person types unseen; `nil` if
  /// none is needed and no file is given.
  ///
  /// Throws `BridgeFault` if the file cannot be read, and `TerminalFailure` if nothing was typed.
  func secret(_ question: String, isNeeded: Bool) async throws -> String? {
    if let secretFile {
      return try Self.checked(String(decoding: PrivateFile.read(secretFile, most: 4_096), as: UTF8.self))
    }
    guard isNeeded else { return nil }
    let typed = await HiddenPrompt.line(question)
    return try Self.checked(typed)
  }

  private static func checked(_ text: String?) throws -> String {
    guard let text else {
      throw TerminalFailure(
        .noInput, "No secret was given, and nothing was changed: type it, or give a file with --secret-file.")
    }
    guard let line = line(in: text) else {
      throw TerminalFailure(.data, "The secret is one line of text, and nothing was changed: give it on one line.")
    }
    return line
  }

  /// Returns the line of text in a file with a secret.
  static func line(of path: String) throws -> String {
    guard let line = line(in: String(decoding: try PrivateFile.read(path, most: 4_096), as: UTF8.self)) else {
      throw TerminalFailure(.data, "\(path) does not hold one line of text: put the secret on one line.")
    }
    return line
  }

  /// Returns a text without the end of its line; `nil` unless it is one line.
  private static func line(in text: String) -> String? {
    var text = text
    while text.last?.isNewline == true { text.removeLast() }
    return text.isEmpty || text.contains(where: \.isNewline) ? nil : text
  }

  /// Returns whether a receiver of the name, which this one replaces, has been set up here.
  func isSetUp(_ kind: ReceiverKind) -> Bool {
    access(BridgeSettings.path(of: name ?? kind.rawValue, in: node.nodeFolder), F_OK) == 0
  }

  /// Sets the receiver up at the node, and writes its bridge's settings: `values`, and `secrets`,
  /// which nobody else may know.
  func add(
    _ kind: ReceiverKind, values: [String: String], secrets: [String: String],
    allowed: ReceiverAllowance = ReceiverAllowance()
  ) async throws -> ReceiverListing {
    let folder = node.nodeFolder
    let before = BridgeSettings.known(name ?? kind.rawValue, folder)
    if let fault = before?.faultOfReplacing(by: kind, values) { throw TerminalFailure(.data, fault) }
    let added = try await node.open().ask(
      Endpoints.addReceiver,
      NewReceiver(
        name: name ?? kind.rawValue, kind: kind, rights: allowed.rights, mostMinutes: allowed.mostMinutes,
        mostMilliPoints: Int64(allowed.mostPoints) * 1_000))
    let settings = BridgeSettings(
      name: added.receiver.name, kind: kind, token: added.token, values: values, secrets: secrets)
    let place = BridgeSettings.folder(in: folder)
    guard mkdir(place, 0o700) == 0 || errno == EEXIST else {
      throw TerminalFailure(
        .cannotCreate, "\(place) could not be made (\(String(cString: strerror(errno)))): check the folder's rights.")
    }
    try DurableFile.replace(BridgeSettings.path(of: settings.name, in: folder), with: settings.bytes)
    // What an earlier receiver of that name shows is not shown by this one.
    unlink(BridgeSettings.record(of: settings.name, in: folder))
    // The token of the earlier bridge is no longer valid.
    if before != nil, try await !BridgeSubcommand.waitForEnd(of: settings.name, folder) {
      console.note(
        "The bridge that “\(settings.name)” had before can do nothing any more, but has not ended: end it first.")
    }
    return added.receiver
  }

  func start(_ receiver: ReceiverListing) -> String {
    let bridge = BridgeSubcommand.line(receiver, node)
    // The service's bridge looks for the node where it usually is.
    guard node.stateDir == nil else { return "Start its bridge with `\(bridge)`." }
    return "Start its bridge with `systemctl --user enable --now latchkey-bridge@\(receiver.name)` or, in this "
      + "terminal, with `\(bridge)`."
  }
}

extension BridgeSettings {
  /// Returns the settings of a receiver's bridge; `nil` if there are none, or they are lost.
  static func known(_ name: String, _ folder: String) -> BridgeSettings? {
    do throws(BridgeFault) { return try read(name, in: folder) } catch { return nil }
  }

  /// Returns why other settings cannot take the place of these; `nil` if they can.
  ///
  /// Whatever was shown through a broker would stay there forever.
  func faultOfReplacing(by kind: ReceiverKind, _ values: [String: String]) -> String? {
    guard self.kind == .mqtt, let host = self.values[MQTTBridge.Setting.host] else { return nil }
    let place = [MQTTBridge.Setting.host, MQTTBridge.Setting.port]
    if kind == .mqtt, place.allSatisfy({ self.values[$0] == values[$0] }) { return nil }
    return
      "“\(name)” shows the children in Home Assistant through \(host), where that would stay: remove it first with "
      + "`latchkey receivers remove \(name)`, which removes that as well, or give another --name. Nothing was changed."
  }
}

extension ReceiverRight: WordArgument {}

/// What a receiver may do besides reading, and the most of it in a day.
struct ReceiverAllowance: Hashable {
  var rights: [ReceiverRight] = []
  var mostMinutes = 0
  var mostPoints = 0

  /// Checks that a receiver has a bound for time if it may give time, and only then.
  fileprivate static func check(_ rights: [ReceiverRight], atMost: Int?) throws {
    let givesTime = rights.contains(.answer) || rights.contains(.grant)
    if givesTime, atMost == nil {
      throw ValidationError("Say how much time it may give in a day, such as --at-most 60m.")
    }
    if !givesTime, atMost != nil { throw ValidationError("It may give no time: give --may answer or grant as well.") }
  }

  @Sendable fileprivate static func rights(_ text: String) throws -> [ReceiverRight] {
    try text.split(separator: ",").map { word in
      guard let right = ReceiverRight(rawValue: word.trimmingCharacters(in: .whitespaces).lowercased()) else {
        throw ValidationError(
          "A phone with ntfy takes --may answer alone, a webhook takes none, and mqtt takes "
            + "--may answer,grant,lock,points.")
      }
      return right
    }
  }

  @Sendable fileprivate static func minutes(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...1_440).contains(minutes) else {
      throw ValidationError("The time for a day is 1 minute to 24 hours, such as 60m or 2h.")
    }
    return minutes
  }
}

/// What a phone with ntfy may do.
struct PhoneRights: ParsableArguments {
  @Option(
    help: .value("answer", "Let it answer requests; otherwise it only reads."), transform: ReceiverAllowance.rights)
  var may: [ReceiverRight] = []

  @Option(
    parsing: .unconditional, help: .value("time", "The most time that its answers may give in a day."),
    transform: ReceiverAllowance.minutes)
  var atMost: Int?

  mutating func validate() throws {
    if may.contains(where: { $0 != .answer }) {
      throw ValidationError("A phone may answer requests and nothing else: --may answer.")
    }
    try ReceiverAllowance.check(may, atMost: atMost)
  }

  var allowed: ReceiverAllowance { ReceiverAllowance(rights: may, mostMinutes: atMost ?? 0) }
}

/// What Home Assistant may do through a broker.
struct HomeRights: ParsableArguments {
  @Option(
    help: .value(
      "answer,grant,lock,points",
      "What it may do besides reading, with commas between: answer requests, grant time, lock, give points."),
    transform: ReceiverAllowance.rights)
  var may: [ReceiverRight] = []

  @Option(
    parsing: .unconditional,
    help: .value("time", "The most time that it may give in a day, by grants and answers together."),
    transform: ReceiverAllowance.minutes)
  var atMost: Int?

  @Option(parsing: .unconditional, help: .value("points", "The most points that it may give in a day."))
  var atMostPoints: Int?

  mutating func validate() throws {
    try ReceiverAllowance.check(may, atMost: atMost)
    if may.contains(.points), atMostPoints == nil {
      throw ValidationError("Say how many points it may give in a day, such as --at-most-points 50.")
    }
    if !may.contains(.points), atMostPoints != nil {
      throw ValidationError("It may give no points: give --may points as well.")
    }
    if let points = atMostPoints, !(1...1_000_000).contains(points) {
      throw ValidationError("The points for a day are 1 to 1,000,000, such as 50.")
    }
  }

  var allowed: ReceiverAllowance {
    ReceiverAllowance(rights: may, mostMinutes: atMost ?? 0, mostPoints: atMostPoints ?? 0)
  }
}

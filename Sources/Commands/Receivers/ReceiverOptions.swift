import ArgumentParser
import Foundation
import Glibc
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode

/// What all kinds of receiver are asked when they are set up.
struct ReceiverOptions: ParsableArguments {
  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("What to call it; the word for its kind when not given.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "A file with the password or token in it, which nobody else can read; it is asked for when not given.",
      valueName: "file"), completion: .file())
  var secretFile: String?

  mutating func validate() throws {
    if let name, let fault = NewReceiver(name: name, kind: .ntfy).textFault { throw ValidationError(fault) }
  }
}

extension ReceiverOptions {
  /// Returns the secret of `--secret-file` or, without it, what a person types unseen.
  ///
  /// - Parameters:
  ///   - question: The question, such as “Password: ”.
  ///   - isNeeded: Whether there is one at all.
  /// - Returns: The secret; `nil` if none is needed and no file is given.
  /// - Throws: `TerminalFailure` if the file cannot be used, or nothing was typed.
  func secret(_ question: String, isNeeded: Bool) async throws -> String? {
    var text: String
    if let secretFile {
      let bytes: [UInt8]
      do { bytes = try PrivateFile.read(secretFile, most: 4_096) } catch {
        throw TerminalFailure(.data, error.sentence)
      }
      text = String(decoding: bytes, as: UTF8.self)
    } else {
      guard isNeeded else { return nil }
      guard let typed = await HiddenPrompt.line(question) else {
        throw TerminalFailure(
          .noInput, "No secret was given, and nothing was changed: type it, or give a file with --secret-file.")
      }
      text = typed
    }
    while text.last?.isNewline == true { text.removeLast() }
    guard !text.isEmpty, !text.contains(where: \.isNewline) else {
      throw TerminalFailure(.data, "The secret is one line of text, and nothing was changed: give it on one line.")
    }
    return text
  }

  /// Returns whether a receiver of the name has been set up here, which setting it up again
  /// replaces.
  func isSetUp(_ kind: ReceiverKind) -> Bool {
    access(BridgeSettings.path(of: name ?? kind.rawValue, in: node.nodeFolder), F_OK) == 0
  }

  /// Sets the receiver up at the node, and writes what its bridge has to know.
  ///
  /// - Parameters:
  ///   - kind: Its kind.
  ///   - values: What the kind needs to know.
  ///   - secrets: What nobody else may know.
  ///   - allowed: What it may do besides reading.
  /// - Returns: The receiver.
  /// - Throws: The node's errors, and those of the state folder.
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
    // The bridge of before, whose token is worth nothing any more.
    if before != nil, try await !BridgeSubcommand.waitForEnd(of: settings.name, folder) {
      TerminalEnvironment.current.console.note(
        "The bridge that “\(settings.name)” had before can do nothing any more, but has not ended: end it first.")
    }
    return added.receiver
  }

  /// Returns how to start the bridge of a receiver.
  func start(_ receiver: ReceiverListing) -> String {
    let bridge = BridgeSubcommand.line(receiver, node)
    // The service's bridge looks for the node where it usually is.
    guard node.stateDir == nil else { return "Start its bridge with `\(bridge)`." }
    return "Start its bridge with `systemctl --user enable --now latchkey-bridge@\(receiver.name)` or, in this "
      + "terminal, with `\(bridge)`."
  }
}

extension BridgeSettings {
  /// Returns what the bridge of a receiver has to know; `nil` if there is none, or it is lost.
  static func known(_ name: String, _ folder: String) -> BridgeSettings? {
    do throws(BridgeFault) { return try read(name, in: folder) } catch { return nil }
  }

  /// Returns why other settings cannot take the place of these; `nil` if they can.
  ///
  /// What was shown through a broker would stay there for ever.
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
}

/// What a phone with ntfy may do.
struct PhoneRights: ParsableArguments {
  @Option(
    help: ArgumentHelp("Let it answer requests; otherwise it only reads.", valueName: "answer"),
    transform: ReceiverAllowance.rights)
  var may: [ReceiverRight] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most time that its answers may give in a day.", valueName: "time"),
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
    help: ArgumentHelp(
      "What it may do besides reading, with commas between: answer requests, grant time, lock, give points.",
      valueName: "answer,grant,lock,points"), transform: ReceiverAllowance.rights)
  var may: [ReceiverRight] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most time that it may give in a day, by grants and answers together.", valueName: "time"),
    transform: ReceiverAllowance.minutes)
  var atMost: Int?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most points that it may give in a day.", valueName: "points"))
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

extension ReceiverAllowance {
  /// Checks that a receiver which may give time has a bound for it, and no other one has.
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

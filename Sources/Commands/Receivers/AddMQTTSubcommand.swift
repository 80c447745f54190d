import ArgumentParser
import Glibc
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode

struct AddMQTTSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mqtt", abstract: "Show the children in Home Assistant, through an MQTT broker.",
    discussion: """
      Each child is a device in Home Assistant from then on: what is left and used today, the status, points, \
      requests, and events. Home Assistant 2024.11 or later finds them by itself.

      Without --may, Home Assistant reads only. With it, whoever may publish to the broker may do the same, \
      because the broker does not say who published: many homes have one password for all lamps. So give the \
      bridge and Home Assistant users of their own, and let no other user write below latchkey/.

      The connection is encrypted, except to this machine without --ca. The broker's user needs to read and write \
      latchkey/#, to write homeassistant/device/#, and to read homeassistant/status.

      Example: latchkey receivers add mqtt --server home.local --username latchkey
      Example: latchkey receivers add mqtt --server home.local --ca ca.pem --username home --may grant --at-most 60m
      """)

  @OptionGroup var options: ReceiverOptions
  @OptionGroup var rights: HomeRights

  @Option(help: .value("host[:port]", "The broker; port 8883, or 1883 without encryption, when not given."))
  var server: String

  @Option(help: .value("name", "The broker's user, whose password is asked for.")) var username: String?

  @Option(help: .value("file", "The certificates of the authority that signed the broker's."), completion: .file())
  var ca: String?

  @Flag(help: "Connect without encryption: everyone on the network can read and change what is sent.")
  var insecure = false

  func validate() throws {
    guard let place = BrokerPlace(server) else {
      throw ValidationError("Give the broker's name or address, such as home.local or 192.168.1.5:8883.")
    }
    if insecure, ca != nil { throw ValidationError("--ca is for an encrypted connection: leave one of the two out.") }
    if insecure, place.port == 8883 {
      throw ValidationError("Port 8883 is for encrypted connections: leave --insecure out, or give another port.")
    }
    if options.secretFile != nil, username == nil {
      throw ValidationError("A password belongs to a user: give --username as well.")
    }
    if let name = username?.utf8, !(1...255).contains(name.count) || name.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      throw ValidationError("The broker's user has 1 to 255 bytes: give its name.")
    }
  }

  func run() async throws {
    guard let place = BrokerPlace(server) else { return }
    let isEncrypted = place.isEncrypted(hasAuthorities: ca != nil, isInsecure: insecure)
    var values = try values(place, isEncrypted: isEncrypted)
    let secrets = try await secrets()
    values[MQTTBridge.Setting.bridge] = try await bridgeName()
    let receiver = try await options.add(.mqtt, values: values, secrets: secrets, allowed: rights.allowed)
    tell(of: receiver, isOpen: !isEncrypted && !place.isThisMachine)
  }

  private func secrets() async throws -> [String: String] {
    let prompt = "Password of \(username ?? "") at the broker: "
    guard let password = try await options.secret(prompt, isNeeded: username != nil) else { return [:] }
    return [MQTTBridge.Setting.password: password]
  }

  /// The name by which the bridge knows its earlier claims at the broker.
  private func bridgeName() async throws -> String {
    let node = try await options.node.open().ask(Endpoints.getStatus).deviceID
    return MQTTBridge.name(of: options.name ?? ReceiverKind.mqtt.rawValue, at: node)
  }

  /// The settings that need no question.
  private func values(_ place: BrokerPlace, isEncrypted: Bool) throws -> [String: String] {
    var values = [
      MQTTBridge.Setting.host: place.host, MQTTBridge.Setting.port: "\(place.port ?? (isEncrypted ? 8883 : 1883))",
      MQTTBridge.Setting.encrypted: isEncrypted ? "yes" : "no",
    ]
    values[MQTTBridge.Setting.username] = username
    if !rights.may.isEmpty { values[MQTTBridge.Setting.rights] = rights.may.map(\.rawValue).joined(separator: ",") }
    guard let ca else { return values }
    guard let whole = realpath(ca, nil), access(ca, R_OK) == 0 else {
      throw TerminalFailure(
        .noInput, "\(ca) cannot be read (\(String(cString: strerror(errno)))): give the file with the certificates.")
    }
    values[MQTTBridge.Setting.authorities] = String(cString: whole)
    free(whole)
    return values
  }

  private func tell(of receiver: ReceiverListing, isOpen: Bool) {
    console.note("“\(receiver.name)” is set up. " + options.start(receiver))
    if username == nil { console.note(Self.openBroker(mayAct: !receiver.rights.isEmpty)) }
    if !receiver.rights.isEmpty { console.note(Self.warning(receiver)) }
    guard isOpen else { return }
    console.note(
      "The connection is not encrypted: everyone on the network can read the password and press the buttons.")
  }

  static func openBroker(mayAct: Bool) -> String {
    "Without --username, the broker lets in everyone who can reach it: all of them can read what is told of the children"
      + (mayAct ? ", and do what it may do" : "")
      + ". Give the bridge a user at the broker, and let no one in without one."
  }

  static func warning(_ receiver: ReceiverListing) -> String {
    let deeds = receiver.rights.map { right in
      switch right {
      case .answer: "answer requests"
      case .grant: "grant time"
      case .lock: "lock and unlock"
      case .points: "give points"
      }
    }
    let most = receiver.mostMinutes > 0 ? ", up to \(receiver.mostMinutes) min a day" : ""
    return
      "From now on whoever may publish to the broker may \(deeds.formatted)\(most), and Latchkey cannot tell who it "
      + "was. Many homes have one password for all lamps: let only Home Assistant's user write to latchkey/do/#."
  }
}

/// The host and port of a broker as a person types them.
struct BrokerPlace: Hashable {
  var host: String
  var port: UInt16?

  /// Reads `HOST`, `HOST:PORT`, `ADDRESS` or `[ADDRESS]:PORT`; `nil` for any other text.
  init?(_ text: String) {
    var (host, rest) = (Substring(text), Substring())
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      guard host.contains(":") else { return nil }
    } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
      (host, rest) = (text[..<colon], text[colon...])
    }
    if !rest.isEmpty {
      guard rest.first == ":", let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
      port = number
    }
    let isHost = host.utf8.allSatisfy {
      (0x30...0x3A).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || "-._%".utf8.contains($0)
    }
    guard (1...253).contains(host.utf8.count), isHost else { return nil }
    self.host = String(host)
  }

  /// A Boolean value that indicates whether nothing crosses the network.
  var isThisMachine: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") && isAddress }

  private var isAddress: Bool { host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") } }

  func isEncrypted(hasAuthorities: Bool, isInsecure: Bool) -> Bool {
    if isInsecure { return false }
    return hasAuthorities || !isThisMachine || port == 8883
  }
}

extension [String] {
  /// The words as a list, such as “grant time, and lock and unlock”.
  fileprivate var formatted: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + ", and " + (last ?? "")
  }
}

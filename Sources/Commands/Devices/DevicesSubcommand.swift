import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct DevicesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "The machines paired with this one.",
    discussion: """
      A machine is named by its name, by its child's name, by its device ID, or by a beginning of one of them that fits no \
      other machine.

      Example: latchkey devices
      """,
    subcommands: [
      DevicesListSubcommand.self, DevicesShowSubcommand.self, DevicesUnpairSubcommand.self,
      DevicesForgetSubcommand.self, DevicesRenameSubcommand.self, DevicesReleaseSubcommand.self,
    ], defaultSubcommand: DevicesListSubcommand.self)
}

/// The paired machine that a subcommand is about.
struct DeviceArgument: ParsableArguments {
  @Argument(
    help: .value("machine", "The machine's name, its child's, its device ID, or the beginning of one."),
    completion: CompletionNames.devices)
  var device: String
}

extension DeviceSearch {
  /// Returns the paired machine that a person means, an active one before removed ones.
  static func find(_ text: String, among peers: [PeerStatus]) throws(Fault) -> PeerStatus {
    if let peer = try? find(text, among: peers.filter({ $0.device.state == .active }), label: { Label($0.device) }) {
      return peer
    }
    return try find(text, among: peers) { Label($0.device) }
  }
}

struct DevicesListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the paired machines.",
    discussion: "Example: latchkey devices list --format json")

  @OptionGroup var listing: ListingOptions

  @Flag(help: "Show device IDs as well.") var verbose = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await listing.node.open()
    let devices = try await interface.ask(Endpoints.getDevices)
    if listing.format == .json { return try console.write(JSONText.pretty(devices)) }
    let now = environment.now()
    let rows = devices.map { peer in
      [
        peer.device.name.text, peer.device.childName ?? "–", peer.device.role.rawValue, DeviceText.link(peer),
        StatusText.waiting(peer.queues), peer.device.lastSeenAt.map { ShownText.ago($0, now: now) } ?? "never",
      ] + (verbose ? [peer.device.deviceID.short] : [])
    }
    try console.write(
      TableText.render(
        ["Machine", "Whose", "Role", "Link", "Waiting for it", "Last seen"] + (verbose ? ["ID"] : []),
        spare: [2], wrap: [3, 4], rows: rows,
        empty: "No machines are paired with this one: run `latchkey pair` here and on the other machine."))
    let hasOthers = devices.contains { !($0.otherParents ?? []).isEmpty }
    let zone = hasOthers ? try await FamilyClock(at: interface).zone : environment.timeZone
    for sentence in OtherParentsText.sentences(devices, zone: zone) { console.note(sentence.text) }
  }
}

struct DevicesShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one paired machine in full.",
    discussion: """
      Each address at which it may be is shown with how it was learnt, when it last worked, and why it last failed.

      Example: latchkey devices show Emma
      """)

  @OptionGroup var listing: ListingOptions
  @OptionGroup var argument: DeviceArgument

  func run() async throws {
    let peer = try DeviceSearch.find(argument.device, among: await listing.node.open().ask(Endpoints.getDevices))
    if listing.format == .json { return try console.write(JSONText.pretty(peer)) }
    try console.write(Self.page(peer, now: TerminalEnvironment.current.now()))
  }

  static func page(_ peer: PeerStatus, now: Int64) -> String {
    let device = peer.device
    var rows = [
      ("name", device.name.text), ("whose", device.childName ?? "–"), ("role", device.role.rawValue),
      ("paired", ShownText.ago(device.pairedAt, now: now)), ("link", DeviceText.link(peer)),
      ("address", peer.address ?? "–"), ("last seen", device.lastSeenAt.map { ShownText.ago($0, now: now) } ?? "never"),
      ("last sync", device.lastSyncedAt.map { ShownText.ago($0, now: now) } ?? "never"),
      ("sync", SyncText.sentence(peer.sync, now: now)), ("waiting", StatusText.waiting(peer.queues)),
    ]
    rows += AddressText.lines(peer.addresses, now: now).enumerated().map { ($0 == 0 ? "known at" : "", $1) }
    for mark in peer.marks { if let sentence = DeviceText.sentence(mark, of: peer) { rows.append(("note", sentence)) } }
    if let error = peer.lastError { rows.append(("last error", error)) }
    rows += [
      ("device ID", device.deviceID.description), ("identity key", device.identityKey), ("link key", device.linkKey),
    ]
    return FieldsText.render(rows)
  }
}

struct DevicesUnpairSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpair", abstract: "Remove a machine from the family for good.",
    discussion: """
      Its key never opens a session again; only a new pairing brings the machine back. What was recorded stays. A parent's \
      machine that is removed on a child's is told when, and so are the other parents. On a terminal it asks first.

      Example: latchkey devices unpair "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var argument: DeviceArgument

  func run() async throws {
    let interface = try await node.open()
    let peer = try DeviceSearch.find(argument.device, among: await interface.ask(Endpoints.getDevices))
    try await confirmation.confirm(UnpairResult.question(peer.device).worded())
    let result = try await interface.ask(Endpoints.deleteDevice, peer.device.deviceID.description)
    console.note(result.phrases.map { $0.worded() }.joined(separator: " "))
  }
}

struct DevicesForgetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Drop a machine at once, without a word to it.",
    discussion: """
      For a machine that is lost, sold or broken. Its keys are erased here and it gets no answer; what it recorded stays. \
      To let a machine know, use `latchkey devices unpair`. On a terminal it asks first.

      Example: latchkey devices forget "Emma's old PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var argument: DeviceArgument

  func run() async throws {
    let interface = try await node.open()
    let peer = try DeviceSearch.find(argument.device, among: await interface.ask(Endpoints.getDevices))
    try await confirmation.confirm(
      "Forget \(ShownText.quoted(peer.device.name))? It is not told, and only a new pairing brings it back.")
    let result = try await interface.ask(Endpoints.forgetDevice, peer.device.deviceID.description)
    console.note("\(ShownText.quoted(result.device.name)) is forgotten.\(DeviceText.closed(result))")
  }
}

struct DevicesReleaseSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Talk again to a machine that is in quarantine.",
    discussion: """
      A machine is put in quarantine when two live machines use its keys. First run `latchkey identity renew` on the one \
      that is the copy, and pair it again; then release the other here.

      Example: latchkey devices release "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var argument: DeviceArgument

  func run() async throws {
    let peer = try await node.open().ask(Endpoints.releaseDevice, argument.device)
    console.note("\(ShownText.quoted(peer.device.name)) is trusted again.")
  }
}

struct DevicesRenameSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a machine another name, or say whose it is.",
    discussion: """
      The other machines hear of it at once, or when they are next in touch. On a child's machine only that machine itself can \
      be renamed.

      Example: latchkey devices rename "Emma's PC" --to "Emma's laptop"
      Example: latchkey devices rename --self "Kitchen laptop"
      Example: latchkey devices rename "Emma's PC" --child Emma
      """)

  @OptionGroup var node: NodeOptions

  @Argument(
    help: .value(
      "machine", "The machine's name, its child's, its device ID, or the beginning of one; with --self the new name."),
    completion: CompletionNames.devices)
  var device: String

  @Option(help: .value("name", "The new name.")) var to: String?
  @Option(help: .value("name", "The child whose machine it is; \"\" for none.")) var child: String?
  @Flag(name: .customLong("self"), help: "Rename the machine that this runs on.") var isSelf = false

  mutating func validate() throws {
    if isSelf, to != nil || child != nil {
      throw ValidationError("With --self the argument is the new name: leave --to and --child out.")
    }
    if !isSelf, to == nil, child == nil {
      throw ValidationError("Nothing is to be changed: give --to a new name, or --child whose machine it is.")
    }
  }

  func run() async throws {
    let interface = try await node.open()
    let result: RenameResult
    if isSelf {
      let own = try await interface.ask(Endpoints.getStatus).deviceID
      result = try await interface.ask(Endpoints.renameDevice, (own.description, RenameRequest(name: device)))
    } else {
      result = try await interface.ask(Endpoints.renameDevice, (device, RenameRequest(name: to, childName: child)))
    }
    console.note(Self.sentence(result, isRenamed: isSelf || to != nil))
  }

  static func sentence(_ result: RenameResult, isRenamed: Bool) -> String {
    result.phrases(isRenamed: isRenamed).map { $0.worded() }.joined(separator: " ")
  }
}

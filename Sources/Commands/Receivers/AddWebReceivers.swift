import ArgumentParser
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode

struct AddNtfySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ntfy", abstract: "Tell a phone with the ntfy app, and let it answer.",
    discussion: """
      The server passes on what the phone is told, and can read it. Unless it is your own, leave the text at bare: then it \
      holds no names. Each time, the receiver gets new topics, whose names nobody can guess.

      Example: latchkey receivers add ntfy --server https://ntfy.example.org --may answer --at-most 60m
      """)

  @OptionGroup var receiver: ReceiverOptions
  @OptionGroup var rights: PhoneRights

  @Option(help: .value("url", "The address of the ntfy server.")) var server: String

  @Option(
    help: .value(
      NtfySetup.texts.joined(separator: "|"),
      "What the phone is told: bare, without names; names, with names and minutes; full, with applications and reasons."
    ), completion: .list(NtfySetup.texts))
  var text = "bare"

  @Option(
    help: .value(
      "name", "The server's user for this machine, whose password is asked for. Without it, a token may be given."))
  var username: String?

  @Option(
    help: .value(
      "file",
      "A file with a token by which the buttons write to their topic, which nobody else can read; needed only if the "
        + "server lets not everyone write there."), completion: .file())
  var buttonTokenFile: String?

  @Flag(help: "Allow an http:// address in the network, where others can read and answer along.") var insecure = false

  mutating func validate() throws {
    guard NtfySetup.texts.contains(text) else { throw ValidationError("The texts are bare, names and full.") }
    if username?.contains(":") == true { throw ValidationError("A user's name has no colon.") }
  }

  func run() async throws {
    let secret = try await receiver.secret(
      "Password of \(username ?? "this machine") at the server: ", isNeeded: username != nil)
    var buttonToken: String?
    if let buttonTokenFile { buttonToken = try ReceiverOptions.line(of: buttonTokenFile) }
    let setup = try NtfySetup(
      .init(server: server, text: text, rights: rights.may, user: username, isInsecure: insecure), secret: secret,
      buttonToken: buttonToken)
    let isAnew = receiver.isSetUp(.ntfy)
    let added = try await receiver.add(.ntfy, values: setup.values, secrets: setup.secrets, allowed: rights.allowed)
    for line in explanation(setup, added, isAnew: isAnew) { console.note(line) }
  }

  /// Returns the sentences before the topic to subscribe to.
  static func subscribing(to name: String, isAnew: Bool) -> String {
    isAnew
      ? "“\(name)” was set up before, and has new topics now: nothing more arrives at the earlier ones. In the phone's "
        + "ntfy app, end the earlier subscription, and subscribe to:"
      : "“\(name)” is set up with new topics. In the phone's ntfy app, subscribe to:"
  }

  /// Returns what a parent has to do and to know now.
  private func explanation(_ setup: NtfySetup, _ added: ReceiverListing, isAnew: Bool) -> [String] {
    let mayAnswer = rights.may.contains(.answer)
    var lines = [Self.subscribing(to: added.name, isAnew: isAnew), "  \(setup.server)/\(setup.out)"]
    if mayAnswer {
      lines += [
        "The buttons of its notices post to this topic, to which nobody needs to subscribe:",
        "  \(setup.server)/\(setup.in)",
        "Who runs that server can answer as well, up to \(added.mostMinutes) min a day: use a server that you trust.",
      ]
    }
    let user = username ?? "everyone"
    lines.append("If the server lets in only who is listed, its operator runs, with the phone's user as PHONE:")
    lines += ["  ntfy access \(user) \(setup.out) write-only", "  ntfy access PHONE \(setup.out) read-only"]
    if mayAnswer {
      let phone = buttonTokenFile == nil ? "everyone" : "PHONE"
      // A later line about the same user and topic would take the place of the earlier one.
      lines +=
        user == phone
        ? ["  ntfy access \(user) \(setup.in) read-write"]
        : ["  ntfy access \(user) \(setup.in) read-only", "  ntfy access \(phone) \(setup.in) write-only"]
    }
    return lines + [receiver.start(added)]
  }
}

struct AddWebhookSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook", abstract: "Call a program of yours by HTTP with what parents are told.",
    discussion: """
      Each notice is posted as JSON with a signature, by which the program knows that it is from here. What was not taken is \
      tried again for a day. A webhook only reads: it cannot answer.

      Example: latchkey receivers add webhook --url https://example.org/latchkey --text names
      """)

  @OptionGroup var receiver: ReceiverOptions

  @Option(help: .hidden) var may: String?
  @Option(help: .value("url", "The address to call.")) var url: String

  @Option(
    help: .value(
      NtfySetup.texts.joined(separator: "|"),
      "What is told: bare, without names; names, with names and minutes; full, with applications and reasons."),
    completion: .list(NtfySetup.texts))
  var text = "bare"

  @Flag(help: "Allow addresses of this machine and its network.") var `private` = false
  @Flag(help: "Allow an http:// address in the network, where others can read along.") var insecure = false

  mutating func validate() throws {
    guard NtfySetup.texts.contains(text) else { throw ValidationError("The texts are bare, names and full.") }
    if may != nil { throw ValidationError("A webhook only reads: leave --may out.") }
  }

  func run() async throws {
    let key = try await receiver.secret("Key: ", isNeeded: false)
    let setup = try WebhookSetup(url: url, text: text, key: key, isPrivate: `private`, isInsecure: insecure)
    let added = try await receiver.add(.webhook, values: setup.values, secrets: setup.secrets)
    let path = BridgeSettings.path(of: added.name, in: receiver.node.nodeFolder)
    console.note("“\(added.name)” is set up.")
    console.note(
      key == nil
        ? "The key of the signatures is `key` below `secrets` in \(path), which only you can read."
        : "The signatures are made with the key of the file.")
    console.note(receiver.start(added))
  }
}

import ArgumentParser
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode

struct AddWebhookSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook", abstract: "Call a program of yours by HTTP with what parents are told.",
    discussion: """
      Each notice is posted as JSON with a signature, by which the program knows that it is from here. What was not taken is \
      tried again for a day. A webhook only reads: it cannot answer.

      Example: latchkey receivers add webhook --url https://example.org/latchkey --text names
      """)

  @OptionGroup var receiver: ReceiverOptions

  @Option(help: .hidden)
  var may: String?

  @Option(help: ArgumentHelp("The address to call.", valueName: "url"))
  var url: String

  @Option(
    help: ArgumentHelp(
      "What is told: bare, without names; names, with names and minutes; full, with applications and reasons.",
      valueName: NtfySetup.texts.joined(separator: "|")), completion: .list(NtfySetup.texts))
  var text = "bare"

  @Flag(help: "Allow addresses of this machine and its network.")
  var `private` = false

  @Flag(help: "Allow an http:// address in the network, where others can read along.")
  var insecure = false

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

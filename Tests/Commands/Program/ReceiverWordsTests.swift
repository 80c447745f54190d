import ArgumentParser
import LatchkeyBridge
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of what people read when they set up a receiver.
@Suite struct ReceiverWordsTests {
  private static func help(_ type: any ParsableCommand.Type) -> String {
    LatchkeyTool.helpMessage(for: type, columns: 1_000)
  }

  @Test func eachKindsHelpListsWhatThatKindTakes() {
    let phone = Self.help(AddNtfySubcommand.self)
    #expect(phone.contains("--may <answer>") && !phone.contains("grant") && !phone.contains("--at-most-points"))
    let home = Self.help(AddMQTTSubcommand.self)
    #expect(home.contains("--may <answer,grant,lock,points>") && home.contains("--at-most-points"))
    let webhook = Self.help(AddWebhookSubcommand.self)
    #expect(!webhook.contains("--may") && !webhook.contains("--at-most"))
  }

  @Test(arguments: [
    (
      ["ntfy", "--server", "https://ntfy.example.org", "--may", "lock"], "A phone may answer requests and nothing else"
    ),
    (["ntfy", "--server", "https://ntfy.example.org", "--may", "answer"], "such as --at-most 60m"),
    (["ntfy", "--server", "https://ntfy.example.org", "--may", "all"], "a webhook takes none"),
    (["webhook", "--url", "https://example.org", "--may", "answer"], "A webhook only reads: leave --may out."),
    (["mqtt", "--server", "home.local", "--may", "points"], "such as --at-most-points 50"),
    (["mqtt", "--server", "home.local", "--at-most-points", "50"], "give --may points as well"),
    (["mqtt", "--server", "home.local", "--at-most", "60m"], "give --may answer or grant as well"),
  ])
  func whatAKindDoesNotTakeIsRefused(arguments: [String], words: String) async {
    let run = await ScriptedRun(["receivers", "add"] + arguments)
    #expect(run.status == 64 && run.console.notes.joined().contains(words), "\(run.console.notes)")
    #expect(run.node.calls.isEmpty)
  }

  @Test func aPhoneThatIsSetUpAgainMustSubscribeAnew() {
    let first = AddNtfySubcommand.subscribing(to: "phone", isAnew: false)
    #expect(first == "“phone” is set up with new topics. In the phone's ntfy app, subscribe to:")
    let again = AddNtfySubcommand.subscribing(to: "phone", isAnew: true)
    #expect(again.contains("was set up before") && again.contains("end the earlier subscription"), "\(again)")
  }

  @Test func whatIsShownThroughABrokerIsRemovedBeforeAnotherTakesItsPlace() {
    let home = BridgeSettings(name: "home", kind: .mqtt, token: "t", values: ["host": "home.local", "port": "8883"])
    #expect(home.faultOfReplacing(by: .mqtt, ["host": "home.local", "port": "8883", "may": "grant"]) == nil)
    for (kind, values) in [
      (ReceiverKind.mqtt, ["host": "other.local", "port": "8883"]), (.mqtt, ["host": "home.local", "port": "1883"]),
      (.ntfy, ["server": "https://ntfy.example.org"]),
    ] {
      let fault = home.faultOfReplacing(by: kind, values)
      #expect(fault?.contains("`latchkey receivers remove home`") == true, "\(fault ?? "")")
    }
    let phone = BridgeSettings(name: "phone", kind: .ntfy, token: "t")
    #expect(phone.faultOfReplacing(by: .webhook, [:]) == nil)
  }

  @Test func aBrokerThatAsksForNoUserIsWarnedOf() {
    let reading = AddMQTTSubcommand.openBroker(mayAct: false)
    #expect(reading.hasPrefix("Without --username, the broker lets in everyone who can reach it"))
    #expect(reading.contains("can read what is told of the children. Give the bridge a user"), "\(reading)")
    #expect(AddMQTTSubcommand.openBroker(mayAct: true).contains("and do what it may do. Give"))
  }
}

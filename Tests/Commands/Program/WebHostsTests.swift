import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// What a person sees of the names of an own proxy.
@Suite struct WebHostsTests {
  private func with(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lk-hosts-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  @Test("A name that is allowed comes with where the proxy leads to, and with how a phone is let in")
  func next() async throws {
    try await with { folder in
      let name = "pc.example.ts.net"
      let early = await ScriptedRun("web", "hosts", "add", name, "--state-dir", folder)
      let said = early.console.notes.joined(separator: " ")
      #expect(early.status == 0 && said.contains("https://\(name)/"), "\(said)")
      #expect(said.contains("`latchkey dashboard --phone`") && !said.contains("127.0.0.1"), "\(said)")
      let place = PhonePlace(name: "lk-7f3k2m.local", port: 21_443, trustPort: 21_444)
      #expect(place.write(in: folder))
      let later = await ScriptedRun("web", "hosts", "add", name, "--state-dir", folder)
      let again = later.console.notes.joined(separator: " ")
      #expect(again.contains("allowed already") && again.contains("https://127.0.0.1:21443"), "\(again)")
      #expect(again.contains("No phone is let in yet"), "\(again)")
      let list = await ScriptedRun("web", "hosts", "--state-dir", folder)
      #expect(list.console.output.contains(name), "\(list.console.output)")
      #expect(list.console.notes.joined().contains("The proxy leads to https://127.0.0.1:21443."))
      let removed = await ScriptedRun("web", "hosts", "remove", name, "--state-dir", folder)
      let empty = await ScriptedRun("web", "hosts", "--state-dir", folder)
      #expect(removed.status == 0 && empty.console.output.contains("No name of a proxy"), "\(empty.console.output)")
    }
  }

  @Test("Who opens the pages sees no log in the terminal, and a service logs")
  func logging() {
    #expect(WebServeSubcommand.level(nil, isBackground: true) == "warning")
    #expect(WebServeSubcommand.level(nil, isBackground: false) == "info")
    #expect(WebServeSubcommand.level("debug", isBackground: true) == "debug")
  }

  @Test("A child's machine lets no phone in, and allows no name", arguments: [["add", "a.example"], ["list"]])
  func onAChilds(arguments: [String]) async throws {
    try await with { folder in
      var script = ScriptedNode.Script()
      script.browsersError = LocalAPIError(.wrongRole, "This is a child's machine.")
      let run = await ScriptedRun(
        ["web", "hosts"] + arguments + ["--state-dir", folder], node: ScriptedNode(script))
      #expect(run.status == 77, "\(run.console.notes)")
      #expect(!FileManager.default.fileExists(atPath: folder + "/web/hosts"))
    }
  }
}

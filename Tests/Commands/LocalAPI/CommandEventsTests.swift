import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The stream of changed commands, through the client, the socket and the server.
@Suite struct CommandEventsTests {
  @Test func eachEventArrives() async throws {
    try await ServedNode.with(ScriptedNode()) { served in
      var seen: [ConfigurationCommand] = []
      for await command in try await served.client.ask(Endpoints.commandEvents, "Emma's PC / ü&=") {
        seen.append(command)
      }
      #expect(seen == [SampleValues.command])
    }
  }

  @Test func aRefusalIsThrown() async throws {
    var script = ScriptedNode.Script()
    let refusal = LocalAPIError(.unknownDevice, "No paired device is called “x”: see `latchkey devices list`.")
    script.error = refusal
    try await ServedNode.with(ScriptedNode(script)) { served in
      await #expect(throws: refusal) { _ = try await served.client.ask(Endpoints.commandEvents, "x") }
    }
  }
}

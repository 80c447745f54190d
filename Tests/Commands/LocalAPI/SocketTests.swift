import Foundation
import Glibc
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The socket itself: where it is, whose it is, when it comes and goes.
@Suite struct SocketTests {
  private func mode(_ path: String) -> mode_t? {
    var entry = stat()
    return lstat(path, &entry) == 0 ? entry.st_mode : nil
  }

  @Test(arguments: [nil, 80, 92, 93, 107, 200, 1_000] as [Int?])
  func aFolderOfAnyLengthIsServed(bytes: Int?) async throws {
    try await TemporaryFolder.with(bytes: bytes) { folder in
      let socket = folder + "/control.sock"
      try await ServedNode.with(ScriptedNode(), in: folder) { served in
        let settings = try await served.client.ask(Endpoints.getSettings)
        #expect(settings == SampleValues.settings)
        #expect(mode(socket) == S_IFSOCK | 0o600)
      }
      #expect(mode(socket) == nil)
    }
  }

  @Test func theSocketOfADeadProcessIsReplaced() async throws {
    try await TemporaryFolder.with { folder in
      let socket = folder + "/control.sock"
      try DeadSocket.leave(at: socket)
      #expect(mode(socket).map { $0 & S_IFMT } == S_IFSOCK)
      await #expect(throws: NodeUnavailable(.notRunning, stateFolder: folder)) {
        try await ControlClient.open(stateFolder: folder)
      }
      try await ServedNode.with(ScriptedNode(), in: folder) { served in
        let settings = try await served.client.ask(Endpoints.getSettings)
        #expect(settings == SampleValues.settings)
      }
    }
  }

  @Test func aFileOfTheSocketsNameIsLeftAlone() async throws {
    try await TemporaryFolder.with { folder in
      let path = folder + "/control.sock"
      try Data("mine".utf8).write(to: URL(filePath: path))
      await #expect(throws: ControlServiceError.self) { try await ServedNode.with(ScriptedNode(), in: folder) { _ in } }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }
  }

  @Test func whereNothingListensTheSentenceSaysWhatToDo() async throws {
    try await TemporaryFolder.with { folder in
      await #expect(throws: NodeUnavailable(.notRunning, stateFolder: folder)) {
        try await ControlClient.open(stateFolder: folder)
      }
      for missing in [folder + "/no", folder + "/" + String(repeating: "n", count: 150)] {
        await #expect(throws: NodeUnavailable(.notInitialised, stateFolder: missing)) {
          try await ControlClient.open(stateFolder: missing)
        }
      }
    }
  }

  @Test(arguments: [
    ("/home/emma/.local/state/latchkey", "/home/emma/.local/state/latchkey"), ("/a b", "'/a b'"),
    ("/it's", #"'/it'\''s'"#), ("/$(x)", "'/$(x)'"), ("/~", "'/~'"),
  ])
  func theFolderCanBePastedIntoAShell(folder: String, shown: String) {
    #expect(NodeUnavailable(.notRunning, stateFolder: folder).description.hasSuffix("--state-dir \(shown)`."))
  }

  @Test func aStopEndsTheSyncStream() async throws {
    var script = ScriptedNode.Script()
    (script.syncStates, script.endsSync) = ([.connecting], false)
    try await ServedNode.with(ScriptedNode(script)) { served in
      var seen: [SyncState] = []
      for await state in try await served.client.ask(Endpoints.syncStates) {
        seen.append(state)
        await served.stop()
      }
      #expect(seen == [.connecting])
    }
  }

  @Test func aStopEndsALongPoll() async throws {
    var script = ScriptedNode.Script()
    script.commandEnds = []
    let node = ScriptedNode(script)
    try await ServedNode.with(node) { served in
      let command = Task { try await served.client.ask(Endpoints.waitForCommand, "01") }
      let pairing = Task { try await served.client.ask(Endpoints.waitForPairing, ("p1", 0)) }
      var arrivals = node.arrivals.makeAsyncIterator()
      _ = await arrivals.next()
      _ = await arrivals.next()
      await served.stop()
      await #expect(throws: ControlFailure.stopping.error) { try await command.value }
      await #expect(throws: ControlFailure.stopping.error) { try await pairing.value }
    }
    #expect(Set(node.calls) == [.ask(Endpoints.waitForCommand, "01"), .ask(Endpoints.waitForPairing, ("p1", 0))])
  }

  @Test func aNodeThatHasGoneShowsAsUnreachable() async throws {
    try await TemporaryFolder.with { folder in
      var client: ControlClient?
      try await ServedNode.with(ScriptedNode(), in: folder) { client = $0.client }
      let left = try #require(client)
      do throws(LocalAPIError) {
        _ = try await left.ask(Endpoints.getSettings)
        Issue.record("nobody can have answered")
      } catch {
        #expect(error.code == .timeout)
        #expect(error.message == NodeUnavailable(.notRunning, stateFolder: folder).description)
      }
      await #expect(throws: LocalAPIError.self) { _ = try await left.ask(Endpoints.syncStates) }
    }
  }
}

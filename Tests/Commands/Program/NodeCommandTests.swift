import Foundation
import LatchkeyModel
import LatchkeyNode
import Synchronization
import Testing

@testable import LatchkeyCommands

/// `init` and `run`, and where every command looks for its node.
@Suite struct NodeCommandTests {
  /// Runs a subcommand and returns the settings with which it would start the node.
  private func settings(_ arguments: [String]) async -> NodeConfiguration? {
    let (stream, continuation) = AsyncStream<NodeConfiguration>.makeStream()
    let run = await ScriptedRun(arguments) { environment in
      environment.runNode = { continuation.yield($0) }
    }
    continuation.finish()
    #expect(run.status == 0)
    for await settings in stream { return settings }
    return nil
  }

  @Test func runNeedsNoOption() async throws {
    let settings = try #require(await settings(["run"]))
    #expect(settings.stateFolder == "/home/test/.local/state/latchkey")
    #expect(settings.port == 0)
    #expect(settings.interfaces == nil)
    #expect(settings.peers == [])
    #expect(settings.discovers)
  }

  @Test func runTakesEveryOption() async throws {
    let settings = try #require(
      await settings([
        "run", "--state-dir", "/srv/emma", "--interfaces", "lo,eth0", "--peer", "127.0.0.1:5", "--peer", "[::1]:6",
        "--port", "41234", "--log-level", "debug", "--log-format", "json", "--no-discovery",
      ]))
    #expect(settings.stateFolder == "/srv/emma")
    #expect(settings.port == 41_234)
    #expect(settings.interfaces == ["lo", "eth0"])
    #expect(settings.peers == ["127.0.0.1:5", "[::1]:6"])
    #expect(!settings.discovers)
  }

  @Test func aNodeThatCannotStartSaysWhy() async {
    let run = await ScriptedRun(["run"]) { environment in
      environment.runNode = { _ in throw NodeStartupError("There is no state folder: make one.", exitStatus: 66) }
    }
    #expect(run.status == 66)
    #expect(run.console.notes == ["latchkey: There is no state folder: make one."])
  }

  @Test(arguments: ["", "   ", "a\u{202E}b", String(repeating: "x", count: 65)])
  func aNameThatNoMachineCanHaveIsRefused(name: String) async {
    let run = await ScriptedRun(["init", "--role", "child", "--name", name]) { environment in
      environment.initialise = { _, _, _, _ in
        Issue.record("nothing may be made")
        return SampleValues.childID
      }
    }
    #expect(run.status == 65)
  }

  /// The options of `init` about accounts, and what of them the state keeps; `nil` if they are
  /// refused.
  @Test(arguments: [
    (["--role", "child"], ""), (["--role", "child", "--child", "Emma", "--account", "em2012"], "Emma em2012"),
    (["--role", "child", "--child", "Emma", "--account", "tom", "--account", "em2012"], "Emma tom em2012"),
    (["--role", "child", "--child", "Emma"], nil), (["--role", "child", "--account", "tom"], nil),
    (["--role", "child", "--child", "Emma", "--account", "nosuch"], nil),
    (["--role", "child", "--child", "Emma, Tom", "--account", "tom"], nil),
    (["--role", "parent", "--child", "Emma", "--account", "tom"], nil),
  ])
  func initKeepsWhichAccountsAreAChilds(arguments: [String], kept: String?) async {
    let made = Mutex<String?>(nil)
    let run = await ScriptedRun(["init", "--name", "PC"] + arguments) { environment in
      environment.setup = MachineSetup(
        hostName: { nil }, accounts: { ["em2012", "tom"] }, isRoot: false, hasService: { _ in false },
        holdsNode: { _ in false }, run: { _, _ in nil })
      environment.initialise = { _, _, _, stated in
        made.withLock { $0 = stated.map { ([$0.child.text] + $0.accounts).joined(separator: " ") } ?? "" }
        return SampleValues.childID
      }
    }
    #expect(run.status == (kept == nil ? 64 : 0), "\(run.console.everything)")
    #expect(made.withLock { $0 } == kept)
  }

  @Test(
    arguments: [
      ([], [:], "/home/test/.local/state/latchkey"), (["--state-dir", "/x"], ["LATCHKEY_STATE_DIR": "/y"], "/x"),
      ([], ["LATCHKEY_STATE_DIR": "/y"], "/y"), ([], ["XDG_STATE_HOME": "/z"], "/z/latchkey"),
      ([], ["LATCHKEY_STATE_DIR": "", "XDG_STATE_HOME": "relative"], "/home/test/.local/state/latchkey"),
      ([], ["HOME": ""], NSHomeDirectoryForUser(NSUserName()).map { $0 + "/.local/state/latchkey" } ?? ""),
    ] as [([String], [String: String], String)])
  func theFolderIsFound(arguments: [String], variables: [String: String], folder: String) async {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    let run = await ScriptedRun(["settings", "show"] + arguments) { environment in
      environment.variables.merge(variables) { $1 }
      let node = ScriptedNode()
      environment.openNode = {
        continuation.yield($0)
        return node
      }
    }
    continuation.finish()
    #expect(run.status == 0)
    var seen: [String] = []
    for await folder in stream { seen.append(folder) }
    #expect(seen == [folder])
  }
}

import CProcess
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyCommands

/// A process that shows or reads a code leaves no memory behind for others.
@Suite(.serialized) struct UndumpableScopeTests {
  private func isDumpable() -> Bool { latchkey_get_dumpable() == 1 }

  @Test func itHoldsAsLongAsTheLastScope() {
    #expect(isDumpable())
    do {
      let first = UndumpableScope()
      #expect(!isDumpable())
      do {
        let second = UndumpableScope()
        #expect(!isDumpable())
        _ = consume second
      }
      #expect(!isDumpable())
      _ = consume first
    }
    #expect(isDumpable())
  }

  @Test(arguments: [["pair"], ["pair", "invite"], ["pair", "join"], ["pair", "invite", "--json", "--yes"]])
  func itHoldsWhileACodeIsShownOrRead(arguments: [String]) async {
    var script = arguments == ["pair", "join"] ? SamplePairing.childScript : SamplePairing.parentScript
    script.pairingChanges = [SamplePairing.ended(.expired, script.pairing.part)]
    let node = DumpProbe(ScriptedNode(script))
    var environment = ScriptedRun.environment(node: node.node, console: ScriptedConsole(lines: ["a", "b"]))
    environment.openNode = { _ in node.node }
    // The clock is asked once the code is there.
    environment.uptime = { node.look() }
    await TerminalEnvironment.$current.withValue(environment) {
      _ = await LatchkeyProgram.run(arguments: arguments)
    }
    #expect(isDumpable())
    if arguments != ["pair", "join"] { #expect(node.sawUndumpable) }
  }
}

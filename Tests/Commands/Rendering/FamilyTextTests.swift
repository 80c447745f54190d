import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// Tests of the text about other parents, machines that do not answer, and a child without a
/// parent.
@Suite struct FamilyTextTests {
  private static func other(isNews: Bool) -> OtherParent {
    OtherParent(
      parent: PairedParent(
        deviceID: SampleValues.childID, name: DeviceName(sanitising: "Tom's laptop"),
        pairedAt: SampleValues.now - 7_200_000), toldAt: SampleValues.now, isNews: isNews)
  }

  @Test(arguments: [Int64.min, -1, 0, .max], [Int64.min, 0, SampleValues.now, .max])
  func aTimeThatAnotherMachineMadeUpHasWords(time: Int64, now: Int64) {
    #expect(!ShownText.ago(time, now: now).isEmpty && !ShownText.agoInWords(time, now: now).isEmpty)
  }

  @Test(arguments: [true, false]) func anotherParentIsNamedWithItsTime(isNews: Bool) async {
    var script = ScriptedNode.Script()
    script.devices[0].otherParents = [Self.other(isNews: isNews)]
    script.status.peers = script.devices
    let listed = await ScriptedRun("devices", "list", script: script)
    #expect(
      listed.console.notes.joined().contains(
        "“Emma's PC” is paired with another parent's machine, “Tom's laptop”, since 2026-11-21 12:00."))
    let status = await ScriptedRun("status", script: script)
    let words = status.console.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("is paired with another parent's machine, “Tom's laptop”"))
    #expect(words.contains("Warning: “Emma's PC” is paired with another") == isNews)
    #expect(words.contains("latchkey devices unpair") == isNews)
  }

  @Test func aParentThatLeftIsNamedWithBothTimes() async {
    var script = ScriptedNode.Script()
    var left = Self.other(isNews: true)
    left.parent.leftAt = SampleValues.now - 7_140_000
    script.devices[0].otherParents = [left]
    script.status.peers = script.devices
    let status = await ScriptedRun("status", script: script)
    let words = status.console.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      words.contains(
        "Warning: “Emma's PC” was paired with another parent's machine, “Tom's laptop”, from 2026-11-21 12:00 to 2026-11-21 "
          + "12:01."), "\(words)")
  }

  @Test func aDeviceWithoutAnAddressHasNoNextTry() async {
    var script = ScriptedNode.Script()
    script.devices[0].isConnected = false
    script.devices[0].sync = .error(reason: "No address of this device is known.", nextTryInMilliseconds: nil)
    script.status.peers = script.devices
    let status = await ScriptedRun("status", script: script)
    #expect(status.console.output.contains("It is called when it appears."))
    #expect(!status.console.output.contains("Next try in"))
  }

  @Test func aMachineThatDoesNotAnswerIsSaidSo() async {
    var script = ScriptedNode.Script()
    script.machines.members[0].isConnected = false
    for (isAnswering, words) in [(false, "does not answer"), (true, "not connected"), (nil, "not connected")]
      as [(Bool?, String)]
    {
      script.machines.members[0].isAnswering = isAnswering
      #expect(await ScriptedRun("nearby", script: script).console.output.contains(words))
    }
  }

  @Test func aChildWithoutAParentSaysWhoseItsRulesAre() async {
    var script = ScriptedNode.Script()
    script.devices = []
    script.children[0].untold = []
    let alone = await ScriptedRun("apps", "list", script: script)
    #expect(
      alone.console.notes == [
        "No parent is paired with this machine now. It keeps the last rules, set by “Kitchen laptop”, until a parent is paired "
          + "again."
      ])
    script.devices = [SampleValues.peer]
    #expect(await ScriptedRun("apps", "list", script: script).console.notes.isEmpty)
    (script.devices, script.apps) = ([], [])
    #expect(await ScriptedRun("apps", "list", script: script).console.notes.isEmpty)
  }
}

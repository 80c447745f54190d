import LatchkeyModel
import Testing

/// Devices as people name them.
@Suite struct DeviceSearchTests {
  private static func label(_ byte: UInt8, _ name: String, child: String? = nil) -> DeviceSearch.Label {
    guard let id = DeviceID(bytes: [UInt8](repeating: byte, count: DeviceID.size)) else {
      preconditionFailure("20 bytes are an ID")
    }
    return DeviceSearch.Label(deviceID: id, name: DeviceName(sanitising: name), childName: child)
  }

  private static let emma = label(2, "Emma's PC", child: "Emma")
  private static let tom = label(0x77, "Blue laptop", child: "Tom")
  private static let tim = label(0x99, "Tim's PC", child: "Tim")
  private static let family = [emma, tom, tim]

  private func find(
    _ text: String, among labels: [DeviceSearch.Label] = family
  ) throws(DeviceSearch.Fault) -> DeviceSearch.Label {
    try DeviceSearch.find(text, among: labels) { $0 }
  }

  @Test(arguments: [
    ("Emma's PC", emma), ("emma's pc", emma), ("Emma", emma), ("EMMA", emma), ("em", emma), ("  Emma ", emma),
    ("Tom", tom), ("blue", tom), ("tom", tom), ("Tim", tim), (emma.deviceID.description, emma),
    (String(tom.deviceID.description.lowercased().prefix(9)), tom), (String(tim.deviceID.description.prefix(4)), tim),
  ])
  func isFoundByNameChildIDAndBeginning(text: String, expected: DeviceSearch.Label) throws {
    #expect(try find(text) == expected)
  }

  @Test func aMachineDoesNotTakeOverTheNameOfAChild() throws {
    let room = Self.label(3, "emma", child: "Ben")
    #expect {
      try find("Emma", among: Self.family + [room])
    } throws: { error in
      "\(error)" == "“Emma” fits 2 machines: name one of “Emma's PC” (Emma's), \(room.deviceID.short) (“emma”, Ben's)."
    }
    // Of one machine both names may be the same.
    let own = Self.label(4, "Zoe", child: "Zoe")
    #expect(try find("zoe", among: Self.family + [own]) == own)
  }

  @Test func eachChildOfASharedMachineNamesIt() throws {
    let shared = Self.label(3, "Tablet", child: "Zoe, Ben")
    for text in ["Zoe", "ben", "be", "Tablet"] {
      #expect(try find(text, among: Self.family + [shared]) == shared)
    }
    #expect(throws: DeviceSearch.Fault.self) { try find("Zoe, Ben", among: Self.family + [shared]) }
  }

  @Test func aFullNameOutranksABeginning() throws {
    let longer = Self.label(4, "Tim's PC 2")
    #expect(try find("tim's pc", among: Self.family + [longer]) == Self.tim)
  }

  @Test(arguments: ["T", "ti", "t"]) func whatFitsSeveralNamesThem(text: String) {
    let twin = Self.label(5, "Tina's PC")
    #expect {
      try find(text, among: Self.family + [twin])
    } throws: { error in
      "\(error)".contains("fits") && "\(error)".contains("“Tim's PC”") && "\(error)".contains("“Tina's PC”")
    }
  }

  @Test func machinesOfOneNameAreToldApartByTheirIDs() {
    let twin = Self.label(5, "Emma's PC")
    #expect {
      try find("Emma's PC", among: Self.family + [twin])
    } throws: { error in
      "\(error)"
        == "“Emma's PC” fits 2 machines: name one of \(Self.emma.deviceID.short) (“Emma's PC”, Emma's), "
        + "\(twin.deviceID.short) (“Emma's PC”)."
    }
  }

  @Test func twoMachinesOfOneChildAreAskedAbout() {
    let second = Self.label(5, "Tablet", child: "Emma")
    #expect(throws: DeviceSearch.Fault.ambiguous("Emma", fitting: [Self.emma, second])) {
      try find("Emma", among: Self.family + [second])
    }
  }

  @Test(arguments: [
    ("Ema", "Did you mean Emma or Emma's PC?"), ("Emma's PCC", "Did you mean Emma's PC?"), ("Tmo", "Did you mean Tom?"),
    ("laptop", "Did you mean Blue laptop?"), ("Grandma", "`latchkey devices` lists their names."),
    ("", "`latchkey devices` lists their names."), ("E-", "`latchkey devices` lists their names."),
  ])
  func aNearMissIsSuggested(text: String, words: String) {
    #expect {
      try find(text)
    } throws: { "\($0)".contains(words) }
  }

  @Test func withoutMachinesTheNextStepIsPairing() {
    #expect {
      try find("Emma", among: [])
    } throws: { "\($0)".contains("`latchkey pair`") }
  }

  @Test func aHostileNameIsSafeInTheSentence() {
    #expect {
      try find("a\u{1B}[2J\nb")
    } throws: { !"\($0)".unicodeScalars.contains { $0.value < 0x20 } }
  }
}

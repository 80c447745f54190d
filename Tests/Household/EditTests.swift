import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeySimulation
import LatchkeyTestSupport
import Testing

/// Tests of the command that edits registers, with its real effect on registers in memory.
@Suite struct EditTests {
  private var random = SeededRandom(seed: 15)
  private let own, mum, dad: DeviceID
  private let emma, tom: ChildID

  init() throws {
    own = Samples.deviceID(&random)
    mum = Samples.deviceID(&random)
    dad = Samples.deviceID(&random)
    emma = try #require(ChildID(bytes: random.bytes(16)))
    tom = try #require(ChildID(bytes: random.bytes(16)))
  }

  private func register(
    _ zone: Zone, _ key: RegisterKey, _ value: String?, _ wall: Int64, by author: DeviceID? = nil
  ) -> Register {
    Register(zone, key, value, modified: HybridTimestamp(wall: wall, counter: 0, author: author ?? mum))
  }

  private func execute(
    _ registers: [Register], by author: DeviceID? = nil, in holdings: inout ModelHoldings
  ) throws -> EffectOutcome {
    let id = CommandID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
    return try Edit(registers).execute(
      CommandContext(commandID: id, author: author ?? mum, createdAt: 1), in: &holdings)
  }

  private func served(_ holdings: inout ModelHoldings, _ children: ChildID..., wall: Int64 = 1) throws {
    _ = try execute(
      children.map { register(.machine(own), HouseholdKey.child($0), HouseholdKey.yes, wall) }, in: &holdings)
  }

  @Test("Two parents who set different registers both get what they asked for")
  func differentRegisters() throws {
    var holdings = ModelHoldings(own: own)
    try served(&holdings, emma)
    let blocked = register(.child(emma), "app/chess/blocked", "yes", 10)
    let limit = register(.child(emma), "app/chess/limit", "45", 9, by: dad)
    #expect(try execute([blocked], in: &holdings) == .done(StateInForce(RegistersInForce([blocked], .recorded))))
    #expect(
      try execute([limit], by: dad, in: &holdings) == .done(StateInForce(RegistersInForce([limit], .recorded))))
    #expect(try holdings.registers(in: .child(emma)) == [blocked, limit])
  }

  @Test("With an agent an edit holds at once and waits for its word; one that is overtaken waits for nothing")
  func withAnAgent() throws {
    var holdings = ModelHoldings(own: own)
    try served(&holdings, emma)
    holdings.awaitsAgent = true
    let blocked = register(.child(emma), "app/chess/blocked", "yes", 10)
    let held = StateInForce(RegistersInForce([blocked], .recorded))
    #expect(
      try execute([blocked], in: &holdings)
        == .underWay(EffectWait("the agent", within: Edit.agentMilliseconds, held: held)))
    #expect(try holdings.registers(in: .child(emma)) == [blocked])
    let earlier = register(.child(emma), "app/chess/blocked", nil, 9, by: dad)
    #expect(try execute([earlier], by: dad, in: &holdings) == .superseded(held))
  }

  @Test("What a register of people held is said with names")
  func whatWasHeld() throws {
    let terms = RuleTerms(children: [emma: "Emma", tom: "Tom"], accounts: [1_001: "kids"])
    let key: RegisterKey = "account/1001"
    let owners = try #require(AccountOwners([emma])).text
    #expect(HouseholdKey.held(register(.machine(own), key, owners, 1), terms)?.worded() == "Emma")
    #expect(HouseholdKey.held(register(.machine(own), key, owners, 1)) == nil, "No name is known.")
    #expect(HouseholdKey.held(register(.machine(own), key, nil, 1), terms) == nil)
    #expect(
      HouseholdKey.listed(register(.machine(own), key, owners, 1), terms).worded() == "account kids belongs to Emma")
  }

  @Test("Of two edits of one register the later one holds, and the earlier one is told by what")
  func sameRegister() throws {
    var holdings = ModelHoldings(own: own)
    try served(&holdings, emma)
    let later = register(.child(emma), "lock", "yes", 20, by: dad)
    let earlier = register(.child(emma), "lock", nil, 10)
    let other = register(.child(emma), "mode", "points", 10)
    _ = try execute([later], by: dad, in: &holdings)
    let outcome = try execute([earlier], in: &holdings)
    let held = StateInForce(RegistersInForce([later], .recorded))
    #expect(outcome == .superseded(held))
    #expect(ReceiptVerdict(.superseded(held), of: CommandPayload(Edit([earlier]))) == .overtaken(held))
    // An overtaken part leaves the rest in force.
    let both = StateInForce(RegistersInForce([later, other], .recorded))
    #expect(try execute([earlier, other], in: &holdings) == .done(both))
    #expect(ReceiptVerdict(.executed(both), of: CommandPayload(Edit([earlier, other]))) == .inForce(.recorded))
    // The same edit again is in force, and changes nothing.
    #expect(try execute([other], in: &holdings) == .done(StateInForce(RegistersInForce([other], .recorded))))
    #expect(ReceiptVerdict(.executed(held), of: CommandPayload(Edit([other]))) == .contradicts(held))
  }

  @Test("A machine takes nothing of a child whose machine it is not, and forgets a child that has moved out")
  func siblings() throws {
    var holdings = ModelHoldings(own: own)
    try served(&holdings, emma)
    let foreign = register(.child(tom), "lock", "yes", 5)
    let kept = register(.child(emma), "lock", "yes", 5)
    #expect(throws: BodyFault.self) { try execute([kept, foreign], in: &holdings) }
    #expect(try holdings.register("lock", in: .child(emma)) == nil, "Nothing of a refused edit takes effect.")
    // The assignment of a machine may come together with registers of the child.
    let moving = register(.machine(own), HouseholdKey.child(tom), HouseholdKey.yes, 6)
    _ = try execute([moving, foreign, kept], in: &holdings)
    #expect(try holdings.zones() == [.child(emma), .child(tom), .machine(own)].sorted())
    _ = try execute([register(.machine(own), HouseholdKey.child(emma), nil, 7)], in: &holdings)
    #expect(try holdings.zones() == [.child(tom), .machine(own)].sorted())
  }

  @Test("An edit by another author, or of another machine, is refused as a whole")
  func foreignEdits() throws {
    var holdings = ModelHoldings(own: own)
    #expect(throws: BodyFault.self) {
      try execute([register(.family, "a", "1", 5), register(.family, "b", "1", 5, by: dad)], in: &holdings)
    }
    #expect(throws: BodyFault.self) { try execute([register(.machine(mum), "a", "1", 5)], in: &holdings) }
    #expect(try holdings.zones().isEmpty)
  }

  @Test("Other parents hear of what has changed, and of nothing else")
  func told() throws {
    var holdings = ModelHoldings(own: own)
    let (first, second) = (register(.family, "a", "1", 5), register(.family, "b", "2", 5))
    _ = try execute([first], in: &holdings)
    _ = try execute([second, register(.family, "a", "0", 4)], in: &holdings)
    #expect(holdings.told == [first, second])
  }

  @Test("Edits and what is in force come back from the wire and from JSON as they were")
  func codings() throws {
    let registers = [
      register(.family, "unknown/key-of-a-later-version", "x\ny", 5),
      register(.child(emma), "app/org.gnome.Chess/limit", nil, 6), register(.machine(own), "account/1000", "nobody", 7),
    ]
    #expect(try Edit(bytes: Edit(registers).bytes) == Edit(registers))
    let state = RegistersInForce(registers, .enforced)
    #expect(try RegistersInForce(bytes: state.bytes) == state)
    let coding = MessageBodyCoding()
    #expect(try coding.registers(coding.encode(registers)) == registers)
    #expect(Edit([]).fault != nil)
    let twice = Edit([registers[0], registers[0]])
    #expect(throws: BodyFault.self) { try Edit(bytes: twice.bytes) }
  }

  @Test("A receipt of what is carried out nowhere ends in a command that mends it")
  func nextStep() {
    let blocked = register(.child(emma), "app/org.gnome.Chess/blocked", "yes", 10)
    func words(_ name: String, _ enforcement: Enforcement = .recorded) -> String {
      RegistersInForce([blocked], enforcement, exceptions: [name]).summary(on: "Emma's PC")
    }
    let off = words("rules-off")
    #expect(off.hasPrefix("Recorded on Emma's PC: "))
    #expect(
      off.hasSuffix("so they close nothing. Switch them on with `latchkey app set \"org.gnome.Chess\" --enabled`."),
      "\(off)")
    #expect(
      words("overridden-by-child").hasSuffix(
        "`latchkey rules` with the child's name shows it: change or remove that one."))
    #expect(words("always-allowed").contains("--no-always-allowed"))
    #expect(!words("overridden-by-child", .enforced).contains("`latchkey rules`"), "It is in force for somebody.")
    #expect(words("from-the-future").hasSuffix("to see what."))
  }

  @Test("A receipt names an application as people call it, unless another one has the same name")
  func applicationsName() throws {
    let blocked = register(.child(emma), "app/org.gnome.Chess/blocked", "yes", 10)
    let state = RegistersInForce([blocked], .recorded, exceptions: ["rules-off"])
    let (chess, other) = (try #require(AppID("org.gnome.Chess")), try #require(AppID("chess")))
    func command(_ names: [AppID: String]) -> Substring? {
      let words = state.summary(on: "Emma's PC", RuleTerms(names: names, whose: "--child Emma"))
      return words.firstMatch(of: /`latchkey app set (.+)`/)?.output.1
    }
    #expect(command([chess: "Gnome Chess"]) == "\"Gnome Chess\" --child Emma --enabled")
    #expect(command([chess: "Chess", other: "Board"]) == "\"org.gnome.Chess\" --child Emma --enabled")
    #expect(command([chess: "Chess", other: "chess"]) == "\"org.gnome.Chess\" --child Emma --enabled")
    #expect(command([chess: "$(reboot)"]) == "\"org.gnome.Chess\" --child Emma --enabled")
  }

  @Test("A receipt does not say that nothing is enforced where another rule holds instead")
  func otherRuleHolds() {
    let bedtime = register(.family, "schedule/bedtime", "20:00-07:00", 10)
    func words(_ names: [String]) -> String {
      RegistersInForce([bedtime], .recorded, exceptions: names).summary(on: "Emma's PC")
    }
    let overtaken = words(["no-process-events", "overridden-by-child"])
    #expect(!overtaken.contains("Nothing enforces"), "\(overtaken)")
    #expect(overtaken.contains("A child's own rule holds there instead of the family's."), "\(overtaken)")
    #expect(words(["agent-silent", "overridden-by-child"]).contains("Nothing enforces"))
    #expect(words(["no-process-events"]).contains("Nothing enforces"))
  }

  @Test("A receipt for unknown programs that cannot be counted says so once")
  func uncounted() {
    let counted = register(.family, "unknownPrograms", "count", 10)
    let words = RegistersInForce([counted], .recorded, exceptions: ["unknown-not-counted"]).summary(on: "Emma's PC")
    #expect(
      words.hasPrefix(
        "Recorded on Emma's PC: unknown programs are allowed and counted as screen time. Unknown programs are allowed "
          + "there and not counted, because Latchkey runs for one account alone."), "\(words)")
    #expect(!words.contains("In force") && !words.contains("Nothing enforces"), "\(words)")
  }
}

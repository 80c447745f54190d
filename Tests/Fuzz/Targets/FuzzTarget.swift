/// One path by which bytes arrive from outside, with the conditions that must hold for all of them.
public struct FuzzTarget: Sendable {
  /// The name for `Tools/fuzz` and for the folders of inputs.
  public let name: String
  /// The greatest size of an input.
  public let maximumBytes: Int
  private let makeSeeds: @Sendable () -> [[UInt8]]
  private let check: @Sendable ([UInt8]) throws(FuzzFault) -> Void

  /// The valid inputs with which fuzzing begins.
  public var seeds: [[UInt8]] { makeSeeds() }

  /// Runs one input.
  ///
  /// - Throws: `FuzzFault` if a condition that must hold does not hold. A trap ends the process.
  public func run(_ input: [UInt8]) throws(FuzzFault) {
    try check(input)
  }

  public static let all: [FuzzTarget] = [
    FuzzTarget(name: "frames", maximumBytes: 1_024, makeSeeds: FramesTarget.seeds, check: FramesTarget.check),
    FuzzTarget(name: "messages", maximumBytes: 4_096, makeSeeds: MessagesTarget.seeds, check: MessagesTarget.check),
    FuzzTarget(name: "session", maximumBytes: 2_048, makeSeeds: SessionTarget.seeds, check: SessionTarget.check),
    FuzzTarget(name: "delivery", maximumBytes: 1_024, makeSeeds: DeliveryTarget.seeds, check: DeliveryTarget.check),
    FuzzTarget(name: "pairing", maximumBytes: 1_024, makeSeeds: PairingTarget.seeds, check: PairingTarget.check),
    FuzzTarget(
      name: "pairing-code", maximumBytes: 512, makeSeeds: PairingCodeTarget.seeds, check: PairingCodeTarget.check),
    FuzzTarget(
      name: "text-record", maximumBytes: 2_048, makeSeeds: TextRecordTarget.seeds, check: TextRecordTarget.check),
    FuzzTarget(
      name: "desktop-entry", maximumBytes: 4_096, makeSeeds: DesktopEntryTarget.seeds,
      check: DesktopEntryTarget.check),
    FuzzTarget(name: "local-api", maximumBytes: 8_192, makeSeeds: LocalAPITarget.seeds, check: LocalAPITarget.check),
    FuzzTarget(name: "agent", maximumBytes: 4_096, makeSeeds: AgentTarget.seeds, check: AgentTarget.check),
  ]
}

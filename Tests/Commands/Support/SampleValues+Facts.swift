import LatchkeyModel

@testable import LatchkeyNode

/// Requests and points.
extension SampleValues {
  static let day: FamilyDay = {
    guard let day = FamilyDay("2026-11-21") else { preconditionFailure("a day") }
    return day
  }()

  private static func commandID(_ byte: UInt8) -> CommandID {
    guard let id = CommandID(bytes: [UInt8](repeating: byte, count: 16)) else { preconditionFailure("16 bytes") }
    return id
  }

  static let requests: [RequestListing] = [
    RequestListing(
      requestID: commandID(0x3F), short: "3f3f", childName: child.name, deviceName: childName, minutes: 30, appID: nil,
      category: nil, reason: "finish the level", askedAt: now - 300_000, day: day, state: .open),
    RequestListing(
      requestID: commandID(0xA7), short: "a7a7", childName: child.name, deviceName: childName, minutes: 60, appID: nil,
      category: .reward, reason: "", askedAt: now - 7_200_000, day: day, state: .approved,
      answer: .init(
        isApproved: true, minutes: 20, word: "then bed", by: DeviceName(sanitising: "Mum's laptop"),
        at: now - 7_000_000),
      overtaken: [
        .init(
          isApproved: false, minutes: nil, word: "", by: DeviceName(sanitising: "Tom's laptop"), at: now - 6_900_000)
      ]),
    RequestListing(
      requestID: commandID(0xB8), short: "b8b8", childName: child.name, deviceName: childName, minutes: nil,
      appID: app("org.supertuxkart.SuperTuxKart"), appName: "org.supertuxkart.SuperTuxKart", category: nil, reason: "",
      askedAt: now - 90_000_000, day: day, state: .expired),
  ]

  private static func entry(_ kind: String, _ milliPoints: Int64, _ words: String, note: String = "") -> PointsEntry {
    PointsEntry(
      source: recordID, short: "5a5a", kind: kind, milliPoints: milliPoints, day: day, at: now - 60_000,
      deviceName: childName, words: words, note: note)
  }

  static let points = PointsListing(
    childName: child.name, balance: 62_500, here: 20_000, earnedToday: 12_500, redeemedMilliseconds: 1_200_000,
    parts: [
      .init(deviceName: childName, milliPoints: 20_000, isHere: true),
      .init(deviceName: DeviceName(sanitising: "Mum's laptop"), milliPoints: 42_500),
    ], held: [entry("held", 3_000, "learning held, nobody touched the machine")],
    entries: [
      entry("earned", 12_500, "earned by learning"),
      entry("adjusted", 50_000, "changed by a parent", note: "cleaned the kitchen"),
      entry("spent", -2_000, "spent on rewards"),
    ])

  static let redeemed = PointsRedeemed(
    milliPoints: 20_000, milliseconds: 1_200_000, lastDay: day, points: points)
}

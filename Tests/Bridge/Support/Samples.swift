import Foundation
import LatchkeyModel
import LatchkeyNode

@testable import LatchkeyBridge

/// Notices, requests and settings for tests.
enum Sample {
  static let key = [UInt8](0..<32)
  static let ids = (1...9).map { CommandID(milliseconds: 1_795_938_000_000, random: [UInt8](repeating: $0, count: 10)) }

  /// A request of Emma's, for time or for Kart.
  static func request(
    _ id: CommandID = ids[0], minutes: Int? = 45, state: RequestListing.State = .open, answer: String? = nil
  ) throws -> RequestListing {
    let what = minutes.map { #""minutes":\#($0)"# } ?? #""appName":"Kart""#
    let given = answer.map { #","answer":{"word":"","by":"Dad's laptop","at":1,\#($0)}"# } ?? ""
    let text = """
      {"requestID":"\(id)","short":"0123","childName":"Emma","deviceName":"Emma's PC","reason":"level 9","askedAt":1,
      "day":"2026-11-29","state":"\(state.rawValue)","overtaken":[],\(what)\(given)}
      """
    return try JSONDecoder().decode(RequestListing.self, from: Data(text.utf8))
  }

  static func asked(_ requests: [CommandID] = [ids[0]], number: Int = 57) throws -> ParentNotice {
    ParentNotice(
      number: number, kind: .asked, key: "asked/1", child: try DeviceName("Emma"), device: try DeviceName("Emma's PC"),
      requests: requests, sentence: "Emma asks for 45 min for Kart (“level 9”).", at: 1_795_938_000_000)
  }

  static func notice(_ kind: ParentNotice.Kind) throws -> ParentNotice {
    ParentNotice(
      number: 3, kind: kind, key: "k", child: try DeviceName("Emma"), device: try DeviceName("Emma's PC"),
      sentence: "A sentence about Emma, Emma's PC and Kart.", at: 1)
  }

  static func ntfy(
    _ values: [String: String] = [:], _ secrets: [String: String] = [:]
  ) throws -> NtfySettings {
    try NtfySettings(
      BridgeSettings(
        name: "phone", kind: .ntfy, token: "t",
        values: [
          "server": "https://ntfy.example.org/", "out": "lk00000000000000000000000000000001",
          "in": "lk00000000000000000000000000000002", "may": "answer",
        ].merging(values) { $1 },
        secrets: ["key": Hexadecimal.encode(key)].merging(secrets) { $1 }))
  }

  static func webhook(_ values: [String: String] = [:]) throws -> WebhookSettings {
    try WebhookSettings(
      BridgeSettings(
        name: "hook", kind: .webhook, token: "t",
        values: ["url": "https://example.org/hook"].merging(values) { $1 }, secrets: ["key": "sixteen bytes...."]))
  }
}

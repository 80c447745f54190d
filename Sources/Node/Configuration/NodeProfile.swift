import Foundation
import LatchkeyModel

/// What a node was made as: `node.json` of its state folder.
struct NodeProfile: Codable, Sendable {
  static let currentVersion = 1

  var version = NodeProfile.currentVersion
  var role: DeviceRole
  var name: DeviceName
  var deviceID: DeviceID

  static func load(_ folder: StateFolder) throws(NodeStartupError) -> NodeProfile {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: folder.profile))
    } catch {
      let isThere = FileManager.default.fileExists(atPath: folder.profile)
      throw isThere
        ? NodeStartupError("\(folder.profile) cannot be read: check its owner and rights.", exitStatus: 77)
        : NodeStartupError(
          "\(folder.path) holds no node: make one with `latchkey init --role parent|child --name NAME`.", exitStatus: 66
        )
    }
    struct VersionOnly: Codable { var version: Int }
    if let found = try? JSONDecoder().decode(VersionOnly.self, from: data), found.version > currentVersion {
      throw NodeStartupError(
        "The state folder \(folder.path) is of a newer version: update Latchkey, or choose another one with --state-dir.",
        exitStatus: 78)
    }
    do {
      return try JSONDecoder().decode(NodeProfile.self, from: data)
    } catch {
      throw NodeStartupError("\(folder.profile) is damaged: put a backup of it in its place.", exitStatus: 65)
    }
  }

  func save(_ folder: StateFolder) throws(NodeStartupError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      try encoder.encode(self).write(to: URL(fileURLWithPath: folder.profile), options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.profile)
    } catch {
      throw NodeStartupError(
        "\(folder.profile) cannot be written: check the folder's rights and whether its disk is full.", exitStatus: 73)
    }
  }
}

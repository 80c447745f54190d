import Foundation
import GRDB
import LatchkeyModel

/// Removed rules, which a command from before their removal does not bring back. Spec: Protocol/06-messages.md §3.
extension Database {
  /// Removals that are remembered; of more the oldest are forgotten.
  private static let most = 4_096

  /// Returns the time at which an application's rules were removed; `nil` if they were not.
  func removal(of id: AppID) throws -> HybridTimestamp? {
    try row("SELECT * FROM removed_app WHERE app_id = ?", [id.text]).map {
      HybridTimestamp(
        wall: $0["modified_wall"], counter: UInt32(clamping: $0["modified_counter"] as Int64),
        author: try $0.deviceID("modified_author"))
    }
  }

  func noteRemoval(of id: AppID, _ modified: HybridTimestamp) throws {
    try run(
      "INSERT INTO removed_app VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET modified_wall = excluded.modified_wall, "
        + "modified_counter = excluded.modified_counter, modified_author = excluded.modified_author",
      [id.text, modified.wall, Int64(modified.counter), Data(modified.author.bytes)])
    try run(
      """
      DELETE FROM removed_app WHERE app_id IN
        (SELECT app_id FROM removed_app ORDER BY modified_wall DESC LIMIT -1 OFFSET ?)
      """, [Self.most])
  }

  func forgetRemoval(of id: AppID) throws { try run("DELETE FROM removed_app WHERE app_id = ?", [id.text]) }
}

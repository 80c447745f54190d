import LatchkeyModel
import LatchkeyStore

/// Warnings of what this machine sent and others did not take.
extension NodeService {
  /// Returns a sentence for each paired machine that refused items of this one.
  func refusalWarnings(_ overview: StoreOverview) async throws(LocalAPIError) -> [String] {
    if overview.refusedInAll.isEmpty { return [] }
    let tallies = try await stored { () async throws(StoreError) in try await context.store.refusals() }
    return overview.refusedInAll.sorted { $0.key < $1.key }.map { device, total in
      let parts = tallies.filter { $0.device == device }.map { tally in
        "\(Self.words(tally.kind, tally.items)), which \(tally.reason.words)"
      }
      let what = total == 1 ? "an item" : "\(total) items"
      let detail = parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
      let records = tallies.contains { $0.device == device && $0.kind == .usageRecord }
      return "“\(name(device, overview.peers))” refused \(what) of this machine\(detail): "
        + (records ? "`latchkey usage list` marks the records, which are kept here and missing there. " : "")
        + "Update Latchkey on both machines."
    }
  }

  /// A number of items of a kind.
  private static func words(_ kind: ItemKind, _ items: Int64) -> String {
    let (one, several) =
      switch kind {
      case .receipt: ("answer to a command", "answers to commands")
      case .usageRecord: ("record of use", "records of use")
      case .usageLoss: ("report of lost use", "reports of lost use")
      default: ("item", "items")
      }
    return items == 1 ? "1 \(one)" : "\(items) \(several)"
  }
}

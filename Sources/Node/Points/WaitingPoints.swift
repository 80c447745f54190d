import LatchkeyModel
import LatchkeyRules

/// Points of a child's that this machine cannot spend, in words.
enum WaitingPoints {
  /// Returns where points are that are not in this machine's purse, such as "12 points wait on
  /// “Mum's laptop”, which is out of reach".
  ///
  /// - Parameters:
  ///   - ledger: The child's ledger.
  ///   - own: This machine.
  ///   - names: The names of machines.
  ///   - connected: The machines that are in touch.
  /// - Returns: The words; empty if there are no such points.
  static func words(
    _ ledger: Ledger, beside own: DeviceID, names: FactNames, connected: Set<DeviceID>
  ) -> String {
    let purses = Set(ledger.entries.keys.map(\.purse) + ledger.entries.values.compactMap(\.other))
    return purses.sorted().filter { $0 != own && ledger.purse(of: $0) > 0 }.map { device in
      let points = PointsText.counted(ledger.purse(of: device))
      return "\(points) wait on “\(names[device])”" + (connected.contains(device) ? "" : ", which is out of reach")
    }.joined(separator: "; ")
  }

  /// Returns where redeemed time can be used, such as "20 min of redeemed time can be used on
  /// “Emma's PC” alone".
  static func words(_ redeemed: [DeviceID: Int64], names: FactNames) -> String {
    redeemed.sorted { $0.key < $1.key }.map { device, milliseconds in
      "\(SpanText.minutes(Int(clamping: milliseconds / 60_000))) of redeemed time can be used on “\(names[device])” alone"
    }.joined(separator: "; ")
  }
}

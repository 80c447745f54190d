import LatchkeyModel

extension LedgerEntry {
  /// The canonical text of the entry.
  ///
  /// It has eleven fields, separated by single spaces: kind, source, purse, amount, day, time,
  /// other purse, quantity, last day, reason of a hold, note. IDs are in lower-case hexadecimal.
  /// `-` stands for a field that the kind does not have. The note may be empty and may contain
  /// spaces.
  public var text: String {
    let fields = [
      id.kind.rawValue, id.source.description, Hexadecimal.encode(id.purse.bytes), String(milliPoints), day.description,
      String(at), other.map { Hexadecimal.encode($0.bytes) } ?? "-", String(quantity), lastDay?.description ?? "-",
      hold?.rawValue ?? "-", note,
    ]
    return fields.joined(separator: " ")
  }

  /// Creates an entry from its text; `nil` for any other text.
  public init?(_ text: String) {
    guard text.utf8.count <= 2_048 else { return nil }
    let fields = text.split(separator: " ", maxSplits: 10, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 11, let kind = Kind(rawValue: fields[0]), let source = RecordID(fields[1]),
      let purse = Self.device(fields[2]), let amount = Int64(fields[3]), let day = FamilyDay(fields[4]),
      let at = Int64(fields[5]), let quantity = Int64(fields[7])
    else { return nil }
    self.init(
      EntryID(purse: purse, kind: kind, source: source), milliPoints: amount, day: day, at: at,
      other: Self.device(fields[6]), quantity: quantity, lastDay: FamilyDay(fields[8]),
      hold: HoldReason(rawValue: fields[9]), note: fields[10])
    guard fault == nil, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  private static func device(_ text: String) -> DeviceID? {
    Hexadecimal.decode(text).flatMap { DeviceID(bytes: $0) }
  }
}

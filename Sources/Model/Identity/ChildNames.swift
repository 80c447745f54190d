/// The names of the children whose machine it is, as one text.
///
/// Spec: Protocol/10-household.md §1.
public enum ChildNames {
  /// Returns the names in a text in which commas separate them, each once, without regard to case.
  public static func split(_ text: String) -> [String] {
    var seen: Set<String> = []
    return text.split(separator: ",").compactMap { part in
      var name = part
      while name.first?.isWhitespace == true { name.removeFirst() }
      while name.last?.isWhitespace == true { name.removeLast() }
      return !name.isEmpty && seen.insert(name.lowercased()).inserted ? String(name) : nil
    }
  }

  /// Returns names as one text, which is cut to the length of a device's name.
  public static func joined(_ names: [String]) -> String {
    DeviceName(sanitising: names.sorted().joined(separator: ", ")).text
  }
}

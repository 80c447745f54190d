/// The reason why a text is not a device name.
///
/// Each description says what to do next.
public enum DeviceNameError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  case unprintable
  case tooLong(bytes: Int)

  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .empty: "The name is empty: give one of 1 to 64 bytes, such as --name \"Emma's PC\"."
    case .unprintable: "The name has control or invisible characters: use letters, digits, spaces and punctuation."
    case .tooLong(let bytes): "The name has \(bytes) bytes of UTF-8: shorten it to at most 64."
    }
  }
}

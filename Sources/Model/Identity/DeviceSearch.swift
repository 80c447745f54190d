/// A search for the device that a person names; the node and the terminal both use it.
///
/// A person can name a device by its name, its child's name, its device ID, or an unambiguous prefix of one of them,
/// without regard to case. A complete name outranks a prefix, and a device's name outranks its child's name.
///
/// Spec: Protocol/07-local-api.md §1.
public enum DeviceSearch {
  /// The names by which a device can be found.
  public struct Label: Hashable, Sendable {
    /// The device's ID.
    public var deviceID: DeviceID
    /// The device's name.
    public var name: DeviceName
    /// The name of the child whose device it is.
    public var childName: String?

    /// Creates a label from a device's names.
    public init(deviceID: DeviceID, name: DeviceName, childName: String? = nil) {
      self.deviceID = deviceID
      self.name = name
      self.childName = childName
    }

    /// Creates the label of a paired device.
    public init(_ device: RegisteredDevice) {
      self.init(deviceID: device.deviceID, name: device.name, childName: device.childName)
    }
  }

  /// The reason why no device was found.
  public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// No device has this name; the known devices follow.
    case unknown(String, known: [Label])
    /// Several devices match the text.
    case ambiguous(String, fitting: [Label])

    /// A sentence with the fault and the next step.
    public var description: String {
      switch self {
      case .unknown(_, known: []): return "No machine is paired yet: run `latchkey pair` here and on the other machine."
      case .unknown(let text, let known):
        let names = known.flatMap { [$0.name.text] + ($0.childName.map { [$0] } ?? []) }
        let question = Spelling.question(for: text, among: names)
        return "No paired machine is called “\(DeviceName(sanitising: text))”"
          + (question.isEmpty ? ": `latchkey devices` lists their names." : ". \(question)")
      case .ambiguous(let text, let fitting):
        // Devices that share a name can only be told apart by their IDs.
        let names = fitting.prefix(DeviceSearch.named).map { label in
          fitting.count { $0.name == label.name } > 1 ? label.deviceID.short : "“\(label.name)”"
        }
        let more = fitting.count > names.count ? " and \(fitting.count - names.count) more" : ""
        return "“\(DeviceName(sanitising: text))” fits \(fitting.count) machines: name one of "
          + names.joined(separator: ", ") + more + "."
      }
    }
  }

  /// The largest number of devices that a fault names.
  private static let named = 5
  /// The number of symbols in the shortest prefix of a device ID that is accepted.
  private static let leastSymbols = 4

  /// Returns the device that a text names.
  ///
  /// - Parameters:
  ///   - text: The text that a person typed.
  ///   - devices: The devices to choose from.
  ///   - label: Returns the names of a device.
  /// - Returns: The one device that matches best.
  /// - Throws: `Fault`, the person's fault, if no device matches or several do.
  public static func find<Device>(
    _ text: String, among devices: [Device], label: (Device) -> Label
  ) throws(Fault) -> Device {
    let labelled = devices.map { (device: $0, label: label($0)) }
    if let id = DeviceID(text), let match = labelled.first(where: { $0.label.deviceID == id }) { return match.device }
    for fits in matchers(text) {
      let matches = labelled.filter { fits($0.label) }
      guard let match = matches.first else { continue }
      guard matches.count == 1 else { throw .ambiguous(text, fitting: matches.map(\.label)) }
      return match.device
    }
    throw .unknown(text, known: labelled.map(\.label))
  }

  /// Returns the tests by which a text may match a device, the most exact one first.
  private static func matchers(_ text: String) -> [(Label) -> Bool] {
    var typed = Substring(text.lowercased())
    while typed.first == " " { typed.removeFirst() }
    while typed.last == " " { typed.removeLast() }
    guard !typed.isEmpty else { return [] }
    let word = String(typed)
    let symbols = compact(text)
    return [
      { $0.name.text == text }, { $0.childName == text }, { $0.name.text.lowercased() == word },
      { $0.childName?.lowercased() == word },
      { $0.name.text.lowercased().hasPrefix(word) || $0.childName?.lowercased().hasPrefix(word) == true },
      { symbols.count >= leastSymbols && compact($0.deviceID.description).hasPrefix(symbols) },
    ]
  }

  private static func compact(_ text: String) -> String { text.uppercased().filter { $0 != "-" && $0 != " " } }
}

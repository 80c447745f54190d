/// Finds the device that a person means; the node and the terminal both use it.
///
/// A device can be named by its name, by its child's name, by its device ID, or by a beginning of one of them that fits no
/// other device. Upper and lower case are the same. What is named in full outranks what is named by a beginning, and a
/// device's name outranks its child's. Spec: Protocol/07-local-api.md §1.
public enum DeviceSearch {
  /// What a device can be named by.
  public struct Label: Hashable, Sendable {
    public var deviceID: DeviceID
    public var name: DeviceName
    /// The name of the child whose device it is.
    public var childName: String?

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

  /// The reason that no device was found.
  public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// No device has this name.
    case unknown(String, known: [Label])
    /// Several devices fit.
    case ambiguous(String, fitting: [Label])

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

  /// Devices that a fault names at most.
  private static let named = 5
  /// Symbols of the shortest beginning of a device ID that counts.
  private static let leastSymbols = 4

  /// Returns the device that a text names.
  ///
  /// - Parameters:
  ///   - text: What a person typed.
  ///   - devices: The devices to choose from.
  ///   - label: Returns what a device can be named by.
  /// - Throws: `Fault` if no device fits, or several do.
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

  /// Returns the ways in which a text may name a device, the most exact one first.
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

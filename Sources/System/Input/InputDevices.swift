import CInput
import Glibc
import LatchkeyModel

/// The input devices of this machine.
///
/// Only the time of the last event is kept.
///
/// Keys and pointer positions are skipped and never kept. Devices that a program has created do not
/// count.
///
/// Spec: Protocol/13-agent.md §10.
public final class InputDevices {
  static let most = 64

  private struct Device {
    var descriptor: Int32
    var kind: InputDeviceKind
  }

  private let folder: String
  private let classFolder: String
  /// The devices that are read, and those that do not count, by name.
  ///
  /// Each search bounds the number of the latter.
  private var devices: [String: Device] = [:]
  private var others: [String: UInt64] = [:]
  private var last: BootInstant?

  public init(folder: String = "/dev/input", classFolder: String = "/sys/class/input") {
    self.folder = folder
    self.classFolder = classFolder
    look()
  }

  deinit { for device in devices.values { close(device.descriptor) } }

  /// A Boolean value that indicates whether any device can be read, so that the absence of events
  /// means no input.
  public var canSee: Bool { !devices.isEmpty }

  /// Searches for new devices, and opens at most 64.
  public func look() {
    var found: [String: UInt64] = [:]
    for name in names() where devices[name] == nil {
      var status = stat()
      // A number may be reused for another device, whose file is then a different one.
      guard devices.count < Self.most, stat("\(folder)/\(name)", &status) == 0 else { continue }
      found[name] = UInt64(status.st_ino)
      guard others[name] != UInt64(status.st_ino) else { continue }
      var about = latchkey_input_device()
      let descriptor = latchkey_input_open("\(folder)/\(name)", &about)
      guard descriptor >= 0 else {
        // Permissions may be granted later, so the next search tries again.
        found[name] = nil
        continue
      }
      let kind = kind(of: name, about)
      if kind.isOfPerson {
        devices[name] = Device(descriptor: descriptor, kind: kind)
        found[name] = nil
      } else {
        close(descriptor)
      }
    }
    others = found
  }

  /// Reads the events that have arrived, and returns the time of the last input; `nil` for none
  /// since this object was created.
  public func lastInput() -> BootInstant? {
    for (name, device) in devices {
      var milliseconds: Int64 = 0
      switch latchkey_input_last(device.descriptor, device.kind.hasSteadyPositions ? 1 : 0, &milliseconds) {
      case 0: continue
      case 1:
        let time = min(BootInstant(milliseconds: milliseconds), BootClock.now())
        last = last.map { max($0, time) } ?? time
      default:
        close(device.descriptor)
        devices[name] = nil
      }
    }
    return last
  }

  /// The names of event devices, at most 256.
  private func names() -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var found: [String] = []
    while found.count < 256, let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix("event") { found.append(name) }
    }
    return found.sorted()
  }

  private func kind(of name: String, _ about: latchkey_input_device) -> InputDeviceKind {
    let place = realpath("\(classFolder)/\(name)", nil)
    defer { free(place) }
    var status = stat()
    let onlyRootMakes = stat("/dev/uhid", &status) != 0 || status.st_uid == 0 && status.st_mode & 0o077 == 0
    return InputDeviceKind(
      place: place.map { String(cString: $0) } ?? "", bus: about.bus,
      properties: withUnsafeBytes(of: about.properties) { Array($0) },
      keys: withUnsafeBytes(of: about.keys) { Array($0) }, onlyRootMakes: onlyRootMakes)
  }
}

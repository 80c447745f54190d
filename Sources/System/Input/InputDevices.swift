import CInput
import Glibc
import LatchkeyModel

/// The input devices of this machine.
///
/// Only the time of the last event is kept.
///
/// Keys and positions are never kept. Devices that a program has created do not count. Spec:
/// Protocol/13-agent.md §10.
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
    (self.folder, self.classFolder) = (folder, classFolder)
    look()
  }

  deinit { for device in devices.values { close(device.descriptor) } }

  /// A Boolean value that indicates whether a device can be read: no events mean no input.
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
    (ProcFile.names(in: folder) ?? []).filter { $0.hasPrefix("event") }.prefix(256).sorted()
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

/// The kind of an input device, according to the device and the kernel (Protocol/13-agent.md §10).
struct InputDeviceKind: Hashable, Sendable {
  /// A Boolean value that indicates whether its events show that a person is at the machine.
  let isOfPerson: Bool
  /// A Boolean value that indicates whether changes of its position come from a person, unlike
  /// those of a trembling stick.
  let hasSteadyPositions: Bool

  /// Determines the kind of a device by its folder below `/sys/devices` without links, the number
  /// of its bus, and its properties and keys, one bit each.
  ///
  /// `onlyRootMakes` indicates whether only root can create devices through `/dev/uhid`.
  init(place: String, bus: UInt16, properties: [UInt8], keys: [UInt8], onlyRootMakes: Bool) {
    func has(_ bits: [UInt8], _ range: ClosedRange<Int>) -> Bool {
      range.contains { $0 / 8 < bits.count && bits[$0 / 8] & (1 << UInt8($0 % 8)) != 0 }
    }
    // Programs create virtual devices, but those of the Bluetooth daemon are real ones.
    let isBluetooth = onlyRootMakes && bus == BUS_BLUETOOTH && place.hasPrefix("/sys/devices/virtual/misc/uhid/")
    let isVirtual = bus == BUS_VIRTUAL || place.hasPrefix("/sys/devices/virtual/") && !isBluetooth
    let isSensor = has(properties, Int(INPUT_PROP_ACCELEROMETER)...Int(INPUT_PROP_ACCELEROMETER))
    // Letters, or the buttons of mice, sticks, pads and screens. Power buttons and lids have none.
    let isToBeTouched =
      has(keys, Int(KEY_Q)...Int(KEY_P)) || has(keys, Int(BTN_MISC)...Int(BTN_GEAR_UP))
      || has(keys, Int(BTN_DPAD_UP)...Int(BTN_DPAD_RIGHT))
      || has(keys, Int(BTN_TRIGGER_HAPPY)...Int(BTN_TRIGGER_HAPPY40))
    isOfPerson = !isVirtual && !isSensor && isToBeTouched && place.hasPrefix("/sys/devices/")
    hasSteadyPositions = !has(keys, Int(BTN_JOYSTICK)...Int(BTN_THUMBR))
  }
}

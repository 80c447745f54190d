import CInput

/// The kind of an input device, according to the device and the kernel.
///
/// Spec: Protocol/13-agent.md §10.
struct InputDeviceKind: Hashable, Sendable {
  /// A Boolean value that indicates whether its events show that a person is at the machine.
  let isOfPerson: Bool
  /// A Boolean value that indicates whether changes of its position come from a person, unlike
  /// those of a trembling stick.
  let hasSteadyPositions: Bool

  /// Determines the kind of a device.
  ///
  /// - Parameters:
  ///   - place: The device's folder below `/sys/devices`, without links.
  ///   - bus: The number of its bus.
  ///   - properties: Its properties, one bit each.
  ///   - keys: Its keys and buttons, one bit each.
  ///   - onlyRootMakes: A Boolean value that indicates whether only root can create devices through
  ///     `/dev/uhid`.
  init(place: String, bus: UInt16, properties: [UInt8], keys: [UInt8], onlyRootMakes: Bool) {
    func has(_ bits: [UInt8], _ range: ClosedRange<Int>) -> Bool {
      range.contains { $0 / 8 < bits.count && bits[$0 / 8] & (1 << UInt8($0 % 8)) != 0 }
    }
    // Virtual devices were created by a program. Those of the Bluetooth daemon are real devices
    // nevertheless.
    let isBluetooth = onlyRootMakes && bus == BUS_BLUETOOTH && place.hasPrefix("/sys/devices/virtual/misc/uhid/")
    let isVirtual = bus == BUS_VIRTUAL || place.hasPrefix("/sys/devices/virtual/") && !isBluetooth
    let isSensor = has(properties, Int(INPUT_PROP_ACCELEROMETER)...Int(INPUT_PROP_ACCELEROMETER))
    // Letters, or the buttons of mice, sticks, gamepads, pads and screens. Power buttons, lids and
    // plugs have none.
    let isToBeTouched =
      has(keys, Int(KEY_Q)...Int(KEY_P)) || has(keys, Int(BTN_MISC)...Int(BTN_GEAR_UP))
      || has(keys, Int(BTN_DPAD_UP)...Int(BTN_DPAD_RIGHT))
      || has(keys, Int(BTN_TRIGGER_HAPPY)...Int(BTN_TRIGGER_HAPPY40))
    isOfPerson = !isVirtual && !isSensor && isToBeTouched && place.hasPrefix("/sys/devices/")
    hasSteadyPositions = !has(keys, Int(BTN_JOYSTICK)...Int(BTN_THUMBR))
  }
}

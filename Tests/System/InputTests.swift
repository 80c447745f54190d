import CInput
import Foundation
import Glibc
import LatchkeyModel
import Testing

@testable import LatchkeySystem

/// Tests of which input devices count, and which of their events.
@Suite struct InputTests {
  private static let usb =
    "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/0003:046D:C31C.0001/input/input5/event5"

  private func kind(
    _ keys: [Int32], place: String = Self.usb, bus: Int32 = BUS_USB, properties: [Int32] = [],
    onlyRootMakes: Bool = true
  ) -> InputDeviceKind {
    func bits(_ numbers: [Int32], _ size: Int) -> [UInt8] {
      numbers.reduce(into: [UInt8](repeating: 0, count: size)) { $0[Int($1) / 8] |= 1 << UInt8($1 % 8) }
    }
    return InputDeviceKind(
      place: place, bus: UInt16(bus), properties: bits(properties, 4), keys: bits(keys, 96),
      onlyRootMakes: onlyRootMakes)
  }

  @Test("Keyboards, mice, screens and gamepads count; buttons of the case, lids and sensors do not")
  func kinds() {
    let (keyboard, mouse, screen, gamepad) = ([KEY_Q, KEY_A], [BTN_LEFT], [BTN_TOUCH], [BTN_SOUTH, BTN_THUMBL])
    for keys in [keyboard, mouse, screen, gamepad] { #expect(kind(keys).isOfPerson) }
    for keys in [[KEY_POWER], [KEY_VOLUMEUP, KEY_MUTE], []] { #expect(!kind(keys).isOfPerson) }
    #expect(!kind(gamepad, properties: [INPUT_PROP_ACCELEROMETER]).isOfPerson)
    #expect(kind(screen).hasSteadyPositions && !kind(gamepad).hasSteadyPositions, "A stick may tremble.")
  }

  @Test("Devices that a program has made do not count, except those of Bluetooth where only root can make them")
  func virtual() {
    #expect(!kind([KEY_Q], place: "/sys/devices/virtual/input/input9/event9").isOfPerson)
    #expect(!kind([KEY_Q], bus: BUS_VIRTUAL).isOfPerson)
    #expect(!kind([KEY_Q], place: "").isOfPerson)
    let uhid = "/sys/devices/virtual/misc/uhid/0005:05AC:0239.0001/input/input9/event9"
    #expect(kind([KEY_Q], place: uhid, bus: BUS_BLUETOOTH).isOfPerson)
    #expect(!kind([KEY_Q], place: uhid, bus: BUS_BLUETOOTH, onlyRootMakes: false).isOfPerson)
    #expect(!kind([KEY_Q], place: uhid, bus: BUS_USB).isOfPerson)
  }

  @Test("Of what a device sends, the time of a person's last event is kept")
  func events() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends where end >= 0 { close(end) } }
    try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    func send(_ type: Int32, _ value: Int32, at milliseconds: Int) {
      var event = input_event()
      event.time = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
      (event.type, event.value) = (UInt16(type), value)
      _ = withUnsafeBytes(of: event) { write(ends[1], $0.baseAddress, $0.count) }
    }
    func last(positions: Int32 = 1) -> Int64? {
      var milliseconds: Int64 = 0
      return latchkey_input_last(ends[0], positions, &milliseconds) == 1 ? milliseconds : nil
    }
    #expect(last() == nil)
    send(EV_KEY, 1, at: 1_500)
    send(EV_SYN, 0, at: 1_501)
    #expect(last() == 1_500)
    send(EV_KEY, 2, at: 2_000)
    send(EV_LED, 1, at: 2_000)
    send(EV_MSC, 1, at: 2_000)
    #expect(last() == nil, "A key that lies under a book repeats by itself.")
    for step in 0..<200 { send(EV_REL, 1, at: 3_000 + step) }
    #expect(last() == 3_199)
    send(EV_ABS, 1, at: 4_000)
    #expect(last(positions: 0) == nil)
    send(EV_ABS, 1, at: 5_000)
    #expect(last() == 5_000)
    close(ends[1])
    ends[1] = -1
    var milliseconds: Int64 = 0
    #expect(latchkey_input_last(ends[0], 1, &milliseconds) == -1, "It is gone.")
  }

  @Test("Without devices, or without the right to read them, nothing can be seen")
  func none() throws {
    let folder = NSTemporaryDirectory() + "/input-\(UInt64.random(in: 0 ..< .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // No device, whatever its name.
    try Data().write(to: URL(fileURLWithPath: folder + "/event0"))
    for place in [folder, folder + "/nothing"] {
      let devices = InputDevices(folder: place, classFolder: folder)
      #expect(!devices.canSee && devices.lastInput() == nil)
    }
  }
}

import Testing

@testable import LatchkeySystem

/// Tests of what a linker has written into a program.
@Suite struct BuildIDTests {
  /// Returns the bytes of a program of 64 bits with a segment of notes.
  private func program(_ notes: [UInt8], type: UInt32 = 4, class wide: UInt8 = 2) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 120)
    func set(_ place: Int, _ value: UInt64, _ size: Int) {
      for index in 0..<size { bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }
    bytes[..<6] = [0x7F, 0x45, 0x4C, 0x46, wide, 1]
    set(32, 64, 8)
    set(54, 56, 2)
    set(56, 1, 2)
    set(64, UInt64(type), 4)
    set(72, 120, 8)
    set(96, UInt64(notes.count), 8)
    return bytes + notes
  }

  private func note(_ name: String, _ type: UInt8, _ value: [UInt8]) -> [UInt8] {
    let padding = { (count: Int) in [UInt8](repeating: 0, count: (4 - count % 4) % 4) }
    return [UInt8(name.utf8.count), 0, 0, 0, UInt8(value.count), 0, 0, 0, type, 0, 0, 0] + Array(name.utf8)
      + padding(name.utf8.count) + value + padding(value.count)
  }

  private func read(_ bytes: [UInt8]) -> [UInt8]? {
    BuildID.read { offset, count in
      offset < bytes.count ? Array(bytes[Int(offset)...].prefix(count)) : []
    }
  }

  @Test("A build ID is found after other notes")
  func found() {
    let id: [UInt8] = [1, 2, 3, 4, 5]
    #expect(read(program(note("GNU\0", 3, id))) == id)
    #expect(read(program(note("GNU\0", 1, [9, 9]) + note("Go\0", 3, [8]) + note("GNU\0", 3, id))) == id)
  }

  @Test("What is no program, has no build ID, or ends too early has none")
  func none() {
    let whole = program(note("GNU\0", 3, [1, 2, 3, 4]))
    #expect(read([]) == nil && read(Array("#!/bin/sh\n".utf8)) == nil)
    #expect(read(program(note("GNU\0", 1, [1]))) == nil && read(program(note("GNU\0", 3, []))) == nil)
    #expect(read(program(note("GNU\0", 3, [1]), type: 1)) == nil && read(program([1], class: 7)) == nil)
    for count in 0..<whole.count { #expect(read(Array(whole.prefix(count))) == nil, "\(count)") }
    // Sizes and places beyond the end of any file.
    for place in [32, 72, 96, 120, 124] {
      var bytes = whole
      for index in place..<min(place + 8, whole.count) { bytes[index] = 0xFF }
      #expect(read(bytes) == nil || place == 96, "\(place)")
    }
  }

  @Test("Two programs of the machine have different ones")
  func machine() throws {
    let (shell, cat) = (BuildID.read("/bin/sh"), BuildID.read("/bin/cat"))
    #expect(try #require(shell) != (try #require(cat)))
    #expect(BuildID.read("/etc/passwd") == nil && BuildID.read("/dev/null") == nil && BuildID.read("/nowhere") == nil)
  }
}

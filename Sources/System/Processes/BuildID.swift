import Glibc

/// The build ID that a linker has written into a program.
///
/// A program that is built again has another one. A copy has the same one, also if it was stripped
/// or something was added to its end.
public enum BuildID {
  /// The most segments of a file that are looked at, and the largest size of one with notes, in
  /// bytes.
  private static let (mostSegments, mostNoteBytes) = (64, 16_384)
  /// The largest size of a build ID, in bytes.
  private static let mostBytes = 64
  /// The type of a segment with notes, and that of a note with a build ID.
  private static let (noteSegment, buildIDNote) = (4, 3)

  /// Returns the build ID of a program; `nil` if the file is no program of this machine's byte
  /// order, or has none.
  ///
  /// At most the table of segments and a part of each segment with notes are read.
  public static func read(_ path: String) -> [UInt8]? {
    guard let descriptor = RegularFile.open(path) else { return nil }
    defer { close(descriptor) }
    return read { offset, count in
      var bytes = [UInt8](repeating: 0, count: count)
      let got = pread(descriptor, &bytes, count, off_t(offset))
      return got > 0 ? Array(bytes.prefix(got)) : []
    }
  }

  /// Returns the build ID of a file; `part` returns the bytes from an offset on, at most as many as
  /// it is asked for.
  static func read(_ part: (_ offset: Int64, _ count: Int) -> [UInt8]) -> [UInt8]? {
    let header = part(0, 64)
    guard header.starts(with: [0x7F, 0x45, 0x4C, 0x46]), header.count == 64 else { return nil }
    let isLittle = header[5] == 1
    guard header[4] == 1 || header[4] == 2, isLittle == (UInt16(1).littleEndian == 1) else { return nil }
    // The places of fields differ between programs of 32 and 64 bits.
    let isWide = header[4] == 2
    guard let table = number(header, isWide ? 32 : 28, isWide ? 8 : 4), let size = number(header, isWide ? 54 : 42, 2),
      let count = number(header, isWide ? 56 : 44, 2), size >= (isWide ? 56 : 32), size <= 256
    else { return nil }
    let bytes = part(table, Int(size) * min(Int(count), mostSegments))
    for segment in stride(from: 0, to: bytes.count, by: Int(size)) {
      guard number(bytes, segment, 4) == Int64(noteSegment),
        let offset = number(bytes, segment + (isWide ? 8 : 4), isWide ? 8 : 4),
        let length = number(bytes, segment + (isWide ? 32 : 16), isWide ? 8 : 4)
      else { continue }
      if let found = find(in: part(offset, Int(min(length, Int64(mostNoteBytes))))) { return found }
    }
    return nil
  }

  /// Returns the build ID among notes: each has the sizes of its name and its value, its type, and
  /// then both, padded to 4 bytes.
  private static func find(in notes: [UInt8]) -> [UInt8]? {
    var place = 0
    while let nameSize = number(notes, place, 4), let size = number(notes, place + 4, 4),
      let type = number(notes, place + 8, 4), nameSize <= mostNoteBytes, size <= mostNoteBytes
    {
      let value = place + 12 + (Int(nameSize) + 3) / 4 * 4
      let end = value + Int(size)
      guard end <= notes.count else { return nil }
      if type == Int64(buildIDNote), notes[(place + 12)..<value].starts(with: Array("GNU\0".utf8)) {
        return (1...Int64(mostBytes)).contains(size) ? Array(notes[value..<end]) : nil
      }
      place = value + (Int(size) + 3) / 4 * 4
    }
    return nil
  }

  /// Returns a number of this machine's byte order; `nil` if the bytes end before it, or if it is
  /// larger than a file.
  private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int64? {
    guard place >= 0, place + size <= bytes.count else { return nil }
    var value: UInt64 = 0
    let order = UInt16(1).littleEndian == 1 ? Array((0..<size).reversed()) : Array(0..<size)
    for index in order { value = value << 8 | UInt64(bytes[place + index]) }
    return Int64(exactly: value)
  }
}

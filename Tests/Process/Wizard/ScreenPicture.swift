import Foundation

/// An image of a terminal's screen, as a camera takes it.
///
/// Only half blocks and colours are drawn.
struct ScreenPicture {
  private let width: Int
  private let height: Int
  private var pixels: [UInt8]

  /// Pixels a character is wide, and half as many as it is high.
  private static let scale = 5
  private static let margin = 20

  /// Draws lines with color sequences, as tmux prints them; `isDark` is the terminal's background.
  init(_ coloured: String, columns: Int, isDark: Bool) {
    let lines = coloured.split(separator: "\n", omittingEmptySubsequences: false)
    let (paper, ink): (UInt8, UInt8) = isDark ? (25, 205) : (250, 45)
    width = columns * Self.scale + 2 * Self.margin
    height = lines.count * 2 * Self.scale + 2 * Self.margin
    pixels = [UInt8](repeating: paper, count: width * height)
    var (front, back) = (ink, paper)
    for (row, line) in lines.enumerated() {
      var column = 0
      var rest = line[...]
      while let character = rest.popFirst() {
        if character == "\u{1B}" {
          guard rest.first == "[" else { continue }
          let end = rest.firstIndex { $0.isLetter } ?? rest.index(before: rest.endIndex)
          if rest[end] == "m" { Self.follow(rest[rest.index(after: rest.startIndex)..<end], &front, &back, ink, paper) }
          rest = rest[rest.index(after: end)...]
          continue
        }
        guard column < columns else { continue }
        fill(column, row * 2, character == "█" || character == "▀" ? front : back)
        fill(column, row * 2 + 1, character == "█" || character == "▄" ? front : back)
        column += 1
      }
    }
  }

  private static func follow(
    _ parameters: Substring, _ front: inout UInt8, _ back: inout UInt8, _ ink: UInt8, _ paper: UInt8
  ) {
    var numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }[...]
    while let number = numbers.popFirst() {
      switch number {
      case 0: (front, back) = (ink, paper)
      case 38 where numbers.first == 5:
        front = grey(numbers.dropFirst().first ?? 0)
        numbers = numbers.dropFirst(2)
      case 48 where numbers.first == 5:
        back = grey(numbers.dropFirst().first ?? 0)
        numbers = numbers.dropFirst(2)
      case 39: front = ink
      case 49: back = paper
      default: break
      }
    }
  }

  /// Returns the brightness of one of the two colors of a code.
  private static func grey(_ colour: Int) -> UInt8 { colour == 231 ? 255 : 0 }

  private mutating func fill(_ column: Int, _ half: Int, _ value: UInt8) {
    for y in 0..<Self.scale {
      let start = (Self.margin + half * Self.scale + y) * width + Self.margin + column * Self.scale
      for x in 0..<Self.scale { pixels[start + x] = value }
    }
  }

  /// Writes the image as a PGM file.
  func write(to path: String) throws {
    try (Data("P5 \(width) \(height) 255\n".utf8) + Data(pixels)).write(to: URL(fileURLWithPath: path))
  }
}

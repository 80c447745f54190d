import CQREncode

/// A QR code as a square of dark and light modules.
struct QRCode: Hashable, Sendable {
  /// Modules a side, without the quiet zone.
  let size: Int
  private let dark: [Bool]

  /// Light modules that must surround the code.
  static let quietZone = 4

  /// Creates the code of a text, with error correction that restores about a seventh of it.
  ///
  /// It is `nil` if the text is too long for a code of 177 modules.
  ///
  /// - Parameter text: ASCII; upper-case letters, digits and a few signs take the least space.
  init?(_ text: String) {
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard width > 0, let data = code.pointee.data else { return nil }
    size = width
    // The lowest bit of a module's byte is its colour.
    dark = (0..<width * width).map { data[$0] & 1 == 1 }
  }

  /// Returns whether a module is dark; modules outside the code are light.
  subscript(column column: Int, row row: Int) -> Bool {
    (0..<size).contains(column) && (0..<size).contains(row) && dark[row * size + column]
  }

  /// Modules a side with the quiet zone.
  var fullSize: Int { size + 2 * Self.quietZone }
}

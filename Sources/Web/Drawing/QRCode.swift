import CQREncode
import LatchkeyModel

/// A QR code as a square of dark and light modules.
package struct QRCode: Hashable, Sendable {
  /// The number of modules on a side, without the quiet zone.
  package let size: Int
  private let dark: [Bool]

  /// The width of the quiet zone: light modules that must surround the code.
  package static let quietZone = 4

  /// Creates the code of a text, with error correction that restores about a seventh of it.
  ///
  /// It is `nil` if the text is too long for a code of 177 modules.
  ///
  /// The text must be ASCII. Upper-case letters, digits and a few signs take the least space.
  package init?(_ text: String) {
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard width > 0, let data = code.pointee.data else { return nil }
    size = width
    // The lowest bit of a module's byte is its colour.
    dark = (0..<width * width).map { data[$0] & 1 == 1 }
  }

  /// Returns whether a module is dark.
  ///
  /// Modules outside the code are light.
  package subscript(column column: Int, row row: Int) -> Bool {
    (0..<size).contains(column) && (0..<size).contains(row) && dark[row * size + column]
  }

  /// The number of modules on a side, with the quiet zone.
  package var fullSize: Int { size + 2 * Self.quietZone }
}

/// The drawing of a QR code on a page, black on white in both schemes.
enum QRPicture {
  static let template = """
    {{#picture}}
    \(drawing)
    {{/picture}}
    """

  /// The template of a drawing, with a description for readers who cannot see it.
  static let drawing = """
    <svg class="qr" viewBox="0 0 {{size}} {{size}}" shape-rendering="crispEdges" role="img" aria-label="{{label}}">
    <rect class="light" width="{{size}}" height="{{size}}"/><path class="dark" d="{{path}}"/>
    </svg>
    """

  /// Returns the drawing: one piece for each run of dark modules in a row.
  static func data(_ code: QRCode, label: Phrase) -> PageData {
    var path = ""
    for row in 0..<code.size {
      var column = 0
      while column < code.size {
        let start = column
        while code[column: column, row: row] { column += 1 }
        let left = start + QRCode.quietZone
        if column > start { path += "M\(left) \(row + QRCode.quietZone)h\(column - start)v1H\(left)z" }
        column += 1
      }
    }
    return ["size": code.fullSize, "path": path, "label": label]
  }
}

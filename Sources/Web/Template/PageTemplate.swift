import Mustache

/// What a template shows, by the names in it: texts, numbers, truth values, and lists and groups of
/// these.
typealias PageData = [String: Any]

/// A template whose every value is escaped by `MarkupEscape`.
///
/// The library's own escape compares characters. Each template is one text with one content type,
/// and has none of the tags that go around it: partials, which fall back to the library's escape,
/// and values that are not escaped.
struct PageTemplate: Sendable {
  private static let contentType: String = {
    MustacheContentTypes.register(SafeMarkup(), named: "SAFE")
    return "{{%CONTENT_TYPE:SAFE}}"
  }()

  private let template: MustacheTemplate

  /// Creates a template.
  ///
  /// A fault in it is one of this program's, which every run of the tests would find.
  ///
  /// - Parameter text: HTML with the tags of Mustache for values, sections and comments.
  init(_ text: String) {
    precondition(Self.isSafe(text), "A template has a tag that is not escaped: \(text)")
    do { template = try MustacheTemplate(string: Self.contentType + text) } catch {
      preconditionFailure("A template is malformed: \(error)")
    }
  }

  /// Returns the page of some data.
  func render(_ data: PageData) -> String { template.render(data) }

  /// Returns whether a template has only tags whose values are escaped.
  static func isSafe(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    for index in scalars.indices where scalars[index] == "{" && index + 1 < scalars.count && scalars[index + 1] == "{" {
      let next = scalars[(index + 2)...].first { !$0.properties.isWhitespace }
      if let next, ["{", "&", ">", "<", "=", "%", "$", "*"].contains(next) { return false }
    }
    return true
  }
}

private struct SafeMarkup: MustacheContentType {
  func escapeText(_ text: String) -> String { MarkupEscape.escape(text) }
}

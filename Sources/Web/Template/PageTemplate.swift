import LatchkeyModel
import Mustache
import Synchronization

/// What a template shows, by the names in it: texts, phrases, numbers, truth values, and lists and
/// groups of these.
typealias PageData = [String: Any]

/// A template whose every value is escaped by `MarkupEscape`, in any language.
///
/// Its own texts stand in double brackets, `[[A word for {name}]]`: they are phrases, whose places
/// become tags.
///
/// The library's own escape compares characters. Each template is one text with one content type,
/// and has none of the tags that go around it: partials, which fall back to the library's escape,
/// and values that are not escaped.
struct PageTemplate: Sendable {
  private static let contentType: String = {
    MustacheContentTypes.register(SafeMarkup(), named: "SAFE")
    return "{{%CONTENT_TYPE:SAFE}}"
  }()

  private let text: String
  private let templates = Templates()

  /// Creates a template.
  ///
  /// A fault in it is one of this program's, which every run of the tests would find.
  ///
  /// - Parameter text: HTML with the tags of Mustache for values, sections and comments.
  init(_ text: String) { self.text = text }

  /// Returns the page of some data, with the commands in its texts as code, and names isolated.
  ///
  /// Who may only look gets no form that changes anything, nor its token, apart from that which
  /// signs out.
  func render(_ data: PageData, in language: Language) -> String {
    let page = MarkupEscape.marked(template(in: language).render(PageTexts.worded(data, in: language)))
    return data["isLooking"] as? Bool == true ? Self.withoutForms(page) : page
  }

  /// Returns a page without its forms that change something; of texts, every `<` is escaped.
  private static func withoutForms(_ page: String) -> String {
    var (kept, rest) = ("", page[...])
    while let start = rest.firstRange(of: "<form method=\"post\""),
      let end = rest[start.upperBound...].firstRange(of: "</form>")
    {
      kept += rest[..<start.lowerBound]
      if rest[start.upperBound...].hasPrefix(" action=\"/out\"") { kept += rest[start.lowerBound..<end.upperBound] }
      rest = rest[end.upperBound...]
    }
    return kept + rest
  }

  private func template(in language: Language) -> MustacheTemplate {
    templates.byLanguage.withLock { byLanguage in
      if let template = byLanguage[language] { return template }
      let text = PageTexts.worded(text, in: language)
      precondition(Self.isSafe(text), "A template has a tag that is not escaped: \(text)")
      let template: MustacheTemplate
      do { template = try MustacheTemplate(string: Self.contentType + text) } catch {
        preconditionFailure("A template is malformed: \(error)")
      }
      byLanguage[language] = template
      return template
    }
  }

  /// Returns whether a template has only tags whose values are escaped.
  static func isSafe(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    for index in scalars.indices where scalars[index] == "{" && index + 1 < scalars.count && scalars[index + 1] == "{" {
      let next = scalars[(index + 2)...].first { !$0.properties.isWhitespace }
      if let next, ["{", "&", ">", "<", "=", "%", "$", "*"].contains(next) { return false }
    }
    return true
  }

  /// The template in each language in which it was needed.
  private final class Templates: Sendable {
    let byLanguage = Mutex<[Language: MustacheTemplate]>([:])
  }
}

private struct SafeMarkup: MustacheContentType {
  func escapeText(_ text: String) -> String { MarkupEscape.escape(text) }
}

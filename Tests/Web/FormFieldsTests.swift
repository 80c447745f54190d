import Testing

@testable import LatchkeyWeb

@Suite("Forms")
struct FormFieldsTests {
  private func fields(_ text: String) -> FormFields? { FormFields(text.utf8) }

  @Test("Fields are decoded, and white space around them is left out")
  func values() {
    let form = fields("word=+Yes%2C+15+minutes%0A&minutes=15&empty=&name=%C3%84mma+%22%26%3D")
    #expect(form?["word"] == "Yes, 15 minutes" && form?["minutes"] == "15")
    #expect(form?["empty"] == nil && form?["absent"] == nil)
    #expect(form?["name"] == "Ämma \"&=")
  }

  @Test(
    "A malformed form is refused",
    arguments: ["a=1&a=2", "a=%", "a=%4", "a=%zz", "a=%C3", "=1", "a=%FF", "a=1&%61=2", "a=%C3%28"])
  func malformed(_ text: String) { #expect(fields(text) == nil) }

  @Test("A form of too many fields is refused")
  func many() {
    #expect(fields((0..<320).map { "f\($0)=1" }.joined(separator: "&")) != nil)
    #expect(fields((0..<321).map { "f\($0)=1" }.joined(separator: "&")) == nil)
  }
}

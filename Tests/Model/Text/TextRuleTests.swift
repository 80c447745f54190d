import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Testing

/// Tests of the rules for texts.
@Suite struct TextRuleTests {
  @Test("Control characters, line ends and changes of direction are refused, except line feeds in paragraphs")
  func controls() {
    for rule in TextRule.all {
      for scalar in [
        "\0", "\u{1B}", "\r", "\t", "\u{7F}", "\u{85}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{2028}", "\n",
      ] {
        let text = "a" + scalar + "b"
        let isAllowed = scalar == "\n" && [.message, .registerValue, .fact, .inventoryEntry].contains(rule)
        #expect((rule.fault(in: text) == nil) == isAllowed, "\(rule.what) \(scalar.unicodeScalars.map(\.value))")
        #expect(rule.allowsCharacters(of: text) == isAllowed)
      }
    }
  }

  @Test("A text of ASCII alone is judged as the same text beside another letter is")
  func plain() {
    for rule in TextRule.all where rule.characters != .zoneName {
      for byte in UInt8(0)..<0x80 {
        let text = "a" + String(UnicodeScalar(byte)) + String(repeating: "b", count: 40)
        #expect(rule.allowsCharacters(of: text) == rule.allowsCharacters(of: text + "é"), "\(rule.what) \(byte)")
      }
    }
    let name = UInt8(0)..<0x80
    let allowed = name.filter { TextRule.zone.allowsCharacters(of: "a" + String(UnicodeScalar($0)) + "b") }
    let wanted = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_/".utf8)
    #expect(Set(allowed) == wanted)
    #expect(TextRule.zone.allowsCharacters(of: "") && TextRule.message.allowsCharacters(of: ""))
    for text in ["/", "/a", "a/", "a//b"] { #expect(!TextRule.zone.allowsCharacters(of: text), "\(text)") }
  }

  @Test("A fault names the field, and the character or the size, and says what to do")
  func sentences() {
    #expect(
      TextRule.displayName.fault(in: "Chess\0")
        == "The application's name has the character U+0000, which cannot be shown: leave it out.")
    #expect(TextRule.message.fault(in: "") == "A message must have 1 to 4,096 bytes of UTF-8.")
    #expect(TextRule.zone.fault(in: "Europe/Berlin\0") == "The zone must be an IANA name, such as Europe/Berlin.")
    #expect(TextRule.appID.fault(in: "a b") == "The application's ID has a space: leave it out.")
  }

  @Test("Texts that families write are accepted")
  func ordinary() {
    let names = ["Emma's PC", "漢字", "Žofie", "🦉", "שלום", "سلام", "e\u{301}"]
    for rule in [TextRule.deviceName, .displayName, .message, .matcherValue] {
      for name in names { #expect(rule.fault(in: name) == nil, "\(rule.what) \(name)") }
    }
    // An emoji of several parts is held together by a character that cannot be seen.
    #expect(TextRule.displayName.fault(in: "👩\u{200D}👧") == nil)
    #expect(TextRule.message.fault(in: "Dinner\nis ready") == nil)
    for zone in ["UTC", "Europe/Berlin", "America/Argentina/ComodRivadavia", "Etc/GMT+5", "EST5EDT"] {
      #expect(TextRule.zone.fault(in: zone) == nil, "\(zone)")
    }
    for zone in ["", "/UTC", "UTC/", "a//b", "Europe Berlin", "../etc", "Ä", "a;b", String(repeating: "a", count: 65)] {
      #expect(TextRule.zone.fault(in: zone) != nil, "\(zone)")
    }
  }

  @Test("Bytes are counted, not characters")
  func bytes() {
    #expect(TextRule.displayName.fault(in: String(repeating: "🦉", count: 63)) == nil)
    #expect(TextRule.displayName.fault(in: String(repeating: "🦉", count: 64)) != nil)
    #expect(TextRule.deviceName.fault(in: String(repeating: "ä", count: 33)) != nil)
  }

  @Test("A sanitized text is valid unless it is empty, and a valid text is not changed")
  func cleaned() {
    var random = SeededRandom()
    for _ in 0..<5_000 {
      let text = HostileText.text(random.once(in: 10) ? 1_200 : 20, &random)
      for rule in TextRule.all where rule != .zone && rule != .appID {
        let clean = rule.cleaned(text)
        #expect(clean.isEmpty || rule.fault(in: clean) == nil, "\(rule.what) \(text.unicodeScalars) \(random.note)")
        if rule.fault(in: text) == nil { #expect(clean == text, "\(random.note)") }
      }
    }
  }

  @Test("Every value of the model refuses texts that violate its rule, and keeps all others unchanged")
  func everyField() throws {
    var random = SeededRandom()
    for _ in 0..<3_000 {
      let text = HostileText.text(random.once(in: 20) ? 4_200 : 12, &random)
      var record = Samples.usageRecord(&random)
      record.displayName = text
      #expect((record.fault == nil) == (TextRule.displayName.fault(in: text) == nil), "\(random.note)")
      record = Samples.usageRecord(&random)
      record.zone = text
      #expect((record.fault == nil) == (TextRule.zone.fault(in: text) == nil), "\(random.note)")
      #expect(
        (CommandPayload.message(text).fault == nil) == (TextRule.message.fault(in: text) == nil), "\(random.note)")
      let id = AppID(text)
      #expect((id != nil) == (TextRule.appID.fault(in: text) == nil), "\(random.note)")
      if let id { #expect(id.text == text, "\(random.note)") }
      if let name = try? DeviceName(text) { #expect(TextRule.deviceName.fault(in: name.text) == nil, "\(random.note)") }
      #expect(TextRule.deviceName.fault(in: DeviceName(sanitising: text).text) == nil, "\(random.note)")
    }
  }
}

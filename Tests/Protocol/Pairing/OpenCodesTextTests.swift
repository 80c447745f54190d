import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests of the open codes in an announcement.
@Suite struct OpenCodesTextTests {
  @Test(arguments: [[0], [677], [1_023, 0, 9], Array(0..<16)] as [[UInt16]])
  func whatIsWrittenIsRead(codes: [UInt16]) {
    #expect(OpenCodesText.discriminators(OpenCodesText.bytes(codes)) == Set(codes))
  }

  @Test(
    arguments: [
      "", ",", "1,", ",1", "1,,2", "01", "00", "1024", "65536", "99999", "-1", "+1", "1 ", "a", "1.5", "1;2",
      (0..<17).map(String.init).joined(separator: ","),
    ])
  func anythingElseIsNoOpenCode(text: String) {
    #expect(OpenCodesText.discriminators(Array(text.utf8)).isEmpty)
  }

  @Test func noValueIsNoOpenCode() {
    #expect(OpenCodesText.discriminators(nil).isEmpty)
    #expect(OpenCodesText.bytes([]).isEmpty)
  }
}

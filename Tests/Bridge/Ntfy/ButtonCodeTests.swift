import LatchkeyModel
import LatchkeyNode
import Testing

@testable import LatchkeyBridge

@Suite("Buttons' codes")
struct ButtonCodeTests {
  private let code = ButtonCode(notice: 57, requests: Array(Sample.ids[..<2]), choice: .half)

  @Test("A code has the form of the specification, and its MAC is that of another implementation")
  func form() {
    let text = code.text(key: Sample.key)
    let ids = code.requests.map { "-" + Hexadecimal.encode($0.bytes) }.joined()
    #expect(text.hasPrefix("v1.57\(ids).30.") && text.utf8.count <= 400)
    // By Python's hmac.
    #expect(text.hasSuffix(".c73b22e6a9cb618e26add8bf4f167622"))
    #expect(ButtonCode.read(text, key: Sample.key) == code)
  }

  @Test("Every choice and number of requests is read back", arguments: AnswerButton.allCases)
  func roundTrip(_ choice: AnswerButton) {
    for count in 1...ButtonCode.mostRequests {
      let code = ButtonCode(notice: .max, requests: Array(Sample.ids[..<count]), choice: choice)
      #expect(ButtonCode.read(code.text(key: Sample.key), key: Sample.key) == code)
    }
  }

  @Test("A code with any byte changed, cut or added is refused, and so is one of another key")
  func forged() {
    let text = code.text(key: Sample.key)
    var bytes = Array(text.utf8)
    for index in bytes.indices {
      for other in [UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "z")]
      where other != bytes[index] {
        let kept = bytes[index]
        bytes[index] = other
        #expect(ButtonCode.read(String(decoding: bytes, as: UTF8.self), key: Sample.key) == nil, "\(index)")
        bytes[index] = kept
      }
      #expect(ButtonCode.read(String(text.prefix(index)), key: Sample.key) == nil)
    }
    #expect(ButtonCode.read(text + "0", key: Sample.key) == nil)
    #expect(ButtonCode.read(text + ".", key: Sample.key) == nil)
    #expect(ButtonCode.read(text, key: [UInt8](1...32)) == nil)
    for text in ["", "v1", "v1...", "hello", "....", String(repeating: "v1.", count: 10_000)] {
      #expect(ButtonCode.read(text, key: Sample.key) == nil)
    }
  }

  @Test("What was made with the key and says nothing is refused")
  func malformed() {
    for requests in [[], Sample.ids] {
      let text = ButtonCode(notice: 1, requests: requests, choice: .no).text(key: Sample.key)
      #expect(ButtonCode.read(text, key: Sample.key) == nil)
    }
  }
}

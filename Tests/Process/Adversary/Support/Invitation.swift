import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// An open code of a parent in both its forms.
struct Invitation: Sendable {
  /// The pairing's ID at the parent.
  var id: String
  var pasted: String
  var typed: String

  /// One of the forms.
  func text(isTyped: Bool) -> String { isTyped ? typed : pasted }

  /// The same code with another secret: what an adversary has who knows the discriminator alone.
  func guess(isTyped: Bool) throws -> PairingCredential {
    guard case .pasted(var code) = try PairingCredential(pasted) else { throw LabFault("\(pasted) is no pasted code") }
    if isTyped {
      return .typed(TypedCode(discriminator: code.discriminator, secretValues: SecureRandom.bytes(6).map { $0 & 31 }))
    }
    code.secret = SecretBytes(SecureRandom.bytes(16))
    return .pasted(code)
  }

  /// Guesses at the typed code that have its check symbol, each other than the code.
  func guessesWithItsCheckSymbol(_ count: Int, _ random: inout SeededRandom) throws -> [PairingCredential] {
    let discriminator = try PairingCredential(typed).discriminator
    var guesses: [PairingCredential] = []
    while guesses.count < count {
      let values = (0..<TypedCode.secretSymbols).map { _ in UInt8(random.below(32)) }
      let guess = TypedCode(discriminator: discriminator, secretValues: values)
      if guess.text.last == typed.last, guess.text != typed { guesses.append(.typed(guess)) }
    }
    return guesses
  }
}

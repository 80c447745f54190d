/// Makes names that say nothing about the machine or its people.
enum RandomLabel {
  /// Make 8 random characters out of 32: 40 bits.
  static func make() -> String {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    return String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }
}

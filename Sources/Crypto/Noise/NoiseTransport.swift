/// Carry the messages of a finished handshake, in order, both ways.
///
/// Messages are opened in the order in which they were sealed; a lost or repeated one fails. A message that is refused
/// leaves the transport as it was. The value can be copied, but only one copy may go on sealing: two would use the same
/// counter for different messages. Spec: Noise revision 34, section 5.3.
public struct NoiseTransport: Sendable {
  /// The most bytes that a sealed message may have.
  public static let maximumMessageByteCount = NoiseHandshake.maximumMessageByteCount
  /// How many bytes longer a sealed message is than its plaintext.
  public static let overheadByteCount = NoiseCipher.tagByteCount
  /// The most bytes that fit into one message.
  public static let maximumPlaintextByteCount = maximumMessageByteCount - overheadByteCount

  /// The hash over the whole handshake, 32 bytes, the same on both sides and never secret.
  public let handshakeHash: [UInt8]

  // Nil for the direction that a one-way pattern does not have.
  private var sending: NoiseCipher?
  private var receiving: NoiseCipher?

  init(sending: NoiseCipher?, receiving: NoiseCipher?, handshakeHash: [UInt8]) {
    self.sending = sending
    self.receiving = receiving
    self.handshakeHash = handshakeHash
  }

  /// Start both directions at a counter of choice, to test what happens at the last ones.
  package init(sendingKey: SecretBytes, receivingKey: SecretBytes, nonce: UInt64) {
    self.init(
      sending: NoiseCipher(key: sendingKey, nonce: nonce), receiving: NoiseCipher(key: receivingKey, nonce: nonce),
      handshakeHash: [])
  }

  /// How many messages were sealed since the handshake, to tell when a rekey is due.
  public var sealedMessageCount: UInt64 { sending?.nonce ?? 0 }

  /// How many messages were opened since the handshake, to tell when a rekey is due.
  public var openedMessageCount: UInt64 { receiving?.nonce ?? 0 }

  /// Seal a message.
  ///
  /// - Parameter plaintext: at most 65,519 bytes.
  /// - Returns: 16 bytes more than the plaintext.
  /// - Throws: `messageTooLong`, `outOfTurn` on the receiving side of a one-way pattern, or `nonceExhausted`.
  public mutating func seal(_ plaintext: [UInt8]) throws(NoiseError) -> [UInt8] {
    let size = plaintext.count + Self.overheadByteCount
    var failure: NoiseError?
    let sealed = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      plaintext.withUnsafeBytes { plaintext in
        do throws(NoiseError) {
          initialized = try seal(plaintext, into: UnsafeMutableRawBufferPointer(buffer))
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return sealed
  }

  /// Seal a message where it is wanted, without another copy.
  ///
  /// - Parameters:
  ///   - plaintext: at most 65,519 bytes; may lie at the very start of `output`, but not overlap it otherwise.
  ///   - output: memory for 16 bytes more than the plaintext.
  /// - Returns: the number of bytes written.
  /// - Throws: as above; nothing is written then.
  public mutating func seal(
    _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(NoiseError) -> Int {
    guard plaintext.count <= Self.maximumPlaintextByteCount else { throw .messageTooLong }
    guard sending != nil else { throw .outOfTurn }
    try sending?.seal(plaintext, additionalData: [], into: output)
    return plaintext.count + Self.overheadByteCount
  }

  /// Open a message.
  ///
  /// - Parameter ciphertext: one whole message, 16 to 65,535 bytes.
  /// - Returns: 16 bytes less than the message.
  /// - Throws: `authenticationFailed` by the peer's fault, `outOfTurn` on the sending side of a one-way pattern, or
  ///   `nonceExhausted`; the transport stays as it was.
  public mutating func open(_ ciphertext: [UInt8]) throws(NoiseError) -> [UInt8] {
    var failure: NoiseError?
    // Never zero: the standard library then writes into the empty array that all threads share.
    let size = max(1, ciphertext.count - Self.overheadByteCount)
    let plaintext = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      ciphertext.withUnsafeBytes { ciphertext in
        do throws(NoiseError) {
          initialized = try open(ciphertext, into: UnsafeMutableRawBufferPointer(buffer))
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return plaintext
  }

  /// Open a message where it is wanted, without another copy.
  ///
  /// - Parameters:
  ///   - ciphertext: one whole message, 16 to 65,535 bytes; may lie at the very start of `output`.
  ///   - output: memory for 16 bytes less than the message.
  /// - Returns: the number of bytes written.
  /// - Throws: as above; the memory then holds nothing of the message.
  public mutating func open(
    _ ciphertext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(NoiseError) -> Int {
    guard receiving != nil else { throw .outOfTurn }
    guard ciphertext.count >= Self.overheadByteCount, ciphertext.count <= Self.maximumMessageByteCount else {
      throw .authenticationFailed
    }
    try receiving?.open(ciphertext, additionalData: [], into: output)
    return ciphertext.count - Self.overheadByteCount
  }

  /// Replace the sending key by one derived from it; the other side must do `rekeyReceiving` at the same message.
  public mutating func rekeySending() { sending?.rekey() }

  /// Replace the receiving key by one derived from it, at the message where the other side did `rekeySending`.
  public mutating func rekeyReceiving() { receiving?.rekey() }
}

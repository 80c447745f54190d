/// The ordered transport of messages in both directions after a handshake.
///
/// Messages have to be opened in the order in which they were sealed. A lost or repeated message
/// fails. A refused message does not change the transport. The value can be copied, but only one
/// copy may continue sealing: two copies would use the same counter for different messages. Spec:
/// Noise revision 34, section 5.3.
public struct NoiseTransport: Sendable {
  /// The largest size of a sealed message, in bytes.
  public static let maximumMessageByteCount = NoiseHandshake.maximumMessageByteCount
  /// The number of bytes that a sealed message is longer than its plaintext.
  public static let overheadByteCount = NoiseCipher.tagByteCount
  /// The largest number of bytes that fit into one message.
  public static let maximumPlaintextByteCount = maximumMessageByteCount - overheadByteCount

  /// The hash of the whole handshake, 32 bytes; it is the same on both sides and not secret.
  public let handshakeHash: [UInt8]

  // `nil` for the direction that a one-way pattern does not have.
  private var sending: NoiseCipher?
  private var receiving: NoiseCipher?

  init(sending: NoiseCipher?, receiving: NoiseCipher?, handshakeHash: [UInt8]) {
    self.sending = sending
    self.receiving = receiving
    self.handshakeHash = handshakeHash
  }

  /// Creates a transport with counters of choice, for tests of the last permitted messages.
  package init(sendingKey: SecretBytes, receivingKey: SecretBytes, nonce: UInt64) {
    self.init(
      sending: NoiseCipher(key: sendingKey, nonce: nonce), receiving: NoiseCipher(key: receivingKey, nonce: nonce),
      handshakeHash: [])
  }

  public var sealedMessageCount: UInt64 { sending?.nonce ?? 0 }

  public var openedMessageCount: UInt64 { receiving?.nonce ?? 0 }

  /// Seals a message of at most 65,519 bytes, which becomes 16 bytes longer.
  ///
  /// Throws `messageTooLong`, `nonceExhausted`, or `outOfTurn` on the receiving side of a one-way
  /// pattern.
  public mutating func seal(_ plaintext: [UInt8]) throws(NoiseError) -> [UInt8] {
    let size = plaintext.count + Self.overheadByteCount
    var failure: NoiseError?
    let sealed = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      plaintext.withUnsafeBytes { plaintext in
        do throws(NoiseError) {
          initialized = try seal(plaintext, into: UnsafeMutableRawBufferPointer(buffer))
        } catch { failure = error }
      }
    }
    if let failure { throw failure }
    return sealed
  }

  /// Seals a message into existing memory, without another copy, and returns the number of bytes
  /// written.
  ///
  /// The plaintext may begin exactly at `output`, but must not overlap it otherwise. Throws the
  /// errors of `seal(_:)`, and writes nothing then.
  public mutating func seal(
    _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(NoiseError) -> Int {
    guard plaintext.count <= Self.maximumPlaintextByteCount else { throw .messageTooLong }
    guard sending != nil else { throw .outOfTurn }
    try sending?.seal(plaintext, additionalData: [], into: output)
    return plaintext.count + Self.overheadByteCount
  }

  /// Opens one whole message of 16 to 65,535 bytes, whose content is 16 bytes shorter.
  ///
  /// Throws `authenticationFailed`, the peer's fault; `outOfTurn` on the sending side of a one-way
  /// pattern; or `nonceExhausted`. The transport does not change.
  public mutating func open(_ ciphertext: [UInt8]) throws(NoiseError) -> [UInt8] {
    var failure: NoiseError?
    // Never zero, or the standard library would write into the empty array that threads share.
    let size = max(1, ciphertext.count - Self.overheadByteCount)
    let plaintext = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      ciphertext.withUnsafeBytes { ciphertext in
        do throws(NoiseError) {
          initialized = try open(ciphertext, into: UnsafeMutableRawBufferPointer(buffer))
        } catch { failure = error }
      }
    }
    if let failure { throw failure }
    return plaintext
  }

  /// Opens a message into existing memory, without another copy, and returns the number of bytes
  /// written.
  ///
  /// The ciphertext may begin exactly at `output`. Throws the errors of `open(_:)`; the memory
  /// contains nothing of the message then.
  public mutating func open(
    _ ciphertext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(NoiseError) -> Int {
    guard receiving != nil else { throw .outOfTurn }
    guard ciphertext.count >= Self.overheadByteCount, ciphertext.count <= Self.maximumMessageByteCount
    else { throw .authenticationFailed }
    try receiving?.open(ciphertext, additionalData: [], into: output)
    return ciphertext.count - Self.overheadByteCount
  }

  /// Replaces the sending key by one derived from it; the other side must call `rekeyReceiving` at
  /// the same message.
  public mutating func rekeySending() { sending?.rekey() }

  /// Replaces the receiving key by one derived from it, at the message at which the other side
  /// called `rekeySending`.
  public mutating func rekeyReceiving() { receiving?.rekey() }
}

/// The reasons why a handshake or a transport fails.
///
/// Any fault in a peer's bytes is `authenticationFailed`: wrong size, altered content, another key
/// or pre-shared key, or a point of small order. A peer learns nothing from the difference, since
/// there is none.
public enum NoiseError: Error, Equatable, Sendable, CustomStringConvertible {
  case unknownPattern(String)
  /// The pattern needs a key of this side or of the other that was not given: the caller's fault.
  case missingKey
  /// A remote static key or a pre-shared key was given that the pattern does not use: the caller's
  /// fault.
  case unexpectedKey
  /// The next message needs a pre-shared key: provide it with `providePresharedKey`, then continue.
  case missingPresharedKey
  /// It is the other side's turn, or the handshake is finished: the caller's fault.
  case outOfTurn
  /// The handshake is not finished: the caller's fault.
  case handshakeUnfinished
  /// The data does not fit into a message of 65,535 bytes: the caller's fault.
  case messageTooLong
  /// The bytes were not created by the owner of the expected keys: the peer's fault.
  case authenticationFailed
  /// The key has protected the largest permitted number of messages; a new handshake is required.
  case nonceExhausted

  public var description: String {
    switch self {
    case .unknownPattern(let name): "\"\(name)\" is not a known handshake pattern; use one such as XXpsk0+psk3."
    case .missingKey: "The handshake pattern needs a key that was not given; give it at the start."
    case .unexpectedKey: "A key was given that the handshake pattern does not use; leave it out."
    case .missingPresharedKey: "The preshared key is not known yet; provide it before the next message."
    case .outOfTurn: "It is the other side's turn; wait for its message."
    case .handshakeUnfinished: "The handshake is not finished; exchange the messages that are left."
    case .messageTooLong: "The message would be longer than 65,535 bytes; send it in parts."
    case .authenticationFailed: "The other side could not be authenticated; close the connection."
    case .nonceExhausted: "The session has used up its key; connect anew."
    }
  }
}

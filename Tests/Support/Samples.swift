import LatchkeyModel
import LatchkeyProtocol

/// Random valid values of every kind.
public enum Samples {
  /// A text of one to `maximumBytes` bytes of UTF-8, from several scripts, without spaces.
  public static func text(maximumBytes: Int, _ random: inout SeededRandom) -> String {
    let letters = Array("abcXYZ019.-_äßøλЖ漢🦉".unicodeScalars)
    var text = "x"
    for _ in 0..<random.below(maximumBytes) {
      let letter = String(Character(random.pick(letters)))
      if text.utf8.count + letter.utf8.count > maximumBytes { break }
      text += letter
    }
    return text
  }

  public static func deviceID(_ random: inout SeededRandom) -> DeviceID {
    guard let id = DeviceID(bytes: random.bytes(DeviceID.size)) else { preconditionFailure("20 bytes are an ID") }
    return id
  }

  public static func commandID(_ random: inout SeededRandom) -> CommandID {
    CommandID(milliseconds: Int64.random(in: 0..<(1 << 47), using: &random), random: random.bytes(10))
  }

  public static func appID(_ random: inout SeededRandom) -> AppID {
    guard let id = AppID(text(maximumBytes: 255, &random)) else { preconditionFailure("letters make an ID") }
    return id
  }

  /// Returns a random register of a valid rule.
  public static func register(_ random: inout SeededRandom) -> Register {
    guard let child = ChildID(bytes: random.bytes(16)) else { preconditionFailure("16 bytes are an ID") }
    let app = appID(&random).text.replacing("%", with: "%25").replacing("/", with: "%2F")
    let rules: [(String, String)] = [
      ("app/\(app)/blocked", random.once(in: 2) ? "yes" : "no"),
      ("app/\(app)/category", "reward \(random.below(9_000))"),
      ("limits/daily", "\(random.below(1_441))"), ("schedule/bedtime", "20:00-07:00"), ("lock", "on"),
    ]
    let (text, value) = random.pick(rules)
    guard let key = RegisterKey(text) else { preconditionFailure("\(text) is a key") }
    return Register(
      random.once(in: 3) ? .machine(deviceID(&random)) : .child(child), key, random.once(in: 4) ? nil : value,
      modified: HybridTimestamp(
        wall: Int64.random(in: 0..<(1 << 47), using: &random),
        counter: UInt32.random(in: 0...UInt32.max, using: &random), author: deviceID(&random)))
  }

  public static func usageRecord(_ random: inout SeededRandom) -> UsageRecord {
    guard let id = RecordID(bytes: random.bytes(16)) else { preconditionFailure("16 bytes are an ID") }
    let start = Int64.random(in: 0..<(1 << 42), using: &random)
    let active = Int64.random(in: 0...86_400_000, using: &random)
    return UsageRecord(
      recordID: id, device: deviceID(&random), appID: appID(&random), displayName: text(maximumBytes: 255, &random),
      sessionStart: start, sessionEnd: start + active, zone: "Europe/Berlin", activeMilliseconds: active,
      category: random.pick(AppCategory.allCases),
      milliPointsPerMinute: Int64.random(in: 0...1_000_000_000, using: &random),
      earnedMilliPoints: Int64.random(in: 0...1_000_000_000, using: &random),
      evidence: random.once(in: 2) ? .tracked : .observed,
      account: random.once(in: 2) ? UInt32(random.below(70_000)) : nil,
      child: random.once(in: 2) ? ChildID(bytes: random.bytes(16)) : nil,
      householdStart: random.once(in: 2) ? start / 2 : nil)
  }

  public static func party(_ role: DeviceRole, name: String, _ random: inout SeededRandom) -> PairingParty {
    do {
      return PairingParty(
        identity: try IdentityKeyPair(seed: SecretBytes(random.bytes(32))),
        link: try LinkKeyPair(secret: SecretBytes(random.bytes(32))), name: try DeviceName(name), role: role)
    } catch { preconditionFailure("32 bytes are a key and \(name) is a name: \(error)") }
  }

  public static func linkKeys(_ random: inout SeededRandom) -> LinkKeyPair {
    do { return try LinkKeyPair(secret: SecretBytes(random.bytes(32))) } catch {
      preconditionFailure("32 bytes are a key: \(error)")
    }
  }

  /// A code that commits to a device's keys.
  public static func code(of inviter: PairingParty, _ random: inout SeededRandom) -> PairingCode {
    PairingCode(
      discriminator: UInt16(random.below(1_024)), minutesValid: 5, secret: SecretBytes(random.bytes(16)),
      commitment: inviter.keys.codeCommitment, address: nil)
  }

  public static func typedCode(_ random: inout SeededRandom) -> TypedCode {
    TypedCode(discriminator: UInt16(random.below(1_024)), secretValues: (0..<6).map { _ in UInt8(random.below(32)) })
  }

  /// Returns all random values of one pairing attempt.
  public static func entropy(_ random: inout SeededRandom) -> PairingEntropy {
    // The highest bits are left out, so that the number is below the group's order.
    guard let scalar = try? CPaceScalar(secret: SecretBytes(random.bytes(31) + [1])) else {
      preconditionFailure("the number is not zero")
    }
    return PairingEntropy(
      random: random.bytes(32), ephemeralKey: linkKeys(&random), scalar: scalar, sessionID: random.bytes(16))
  }

  public static func item(_ sequence: UInt64, kind: ItemKind = .command, bytes: Int = 20, _ random: inout SeededRandom)
    -> DeliveryItem
  {
    DeliveryItem(sequence: sequence, kind: kind, itemID: random.bytes(16), body: random.bytes(bytes))
  }
}

import Dispatch
import LatchkeyModel
import LatchkeyProtocol

/// The slow work with PINs, one after another on a thread of its own, so that it holds up no event
/// loop and needs the memory of one check at a time.
enum PINWork {
  private static let queue = DispatchQueue(label: "latchkey.pin")

  /// Returns what a PIN is kept as; `nil` if there is no memory for it.
  static func hash(_ pin: PIN) async -> PINHash? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: PINHash(hashing: pin)) }
    }
  }

  /// Returns whether a PIN is the one that is kept.
  static func matches(_ pin: PIN, _ hash: PINHash) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: hash.matches(pin)) }
    }
  }
}

import LatchkeyModel

/// How a pairing is shown while it goes on.
protocol PairingView {
  /// It has begun: a code is open, or the machine that shows it is looked for.
  mutating func began(_ pairing: PairingProgress) throws
  /// Somebody entered a wrong code.
  mutating func guessed(failuresLeft: Int) throws
  /// A machine that has the code is there; with `asks`, the person has to say yes or no.
  mutating func met(_ pairing: PairingProgress, asks: Bool) throws
  /// The answer was neither yes nor no, and is asked for once more.
  mutating func unclear() throws
  /// That machine is gone again, and the code is open still.
  mutating func lost(_ pairing: PairingProgress) throws
  /// The answer is on its way to the other machine.
  mutating func answered(_ pairing: PairingProgress, accepts: Bool) throws
  /// The search has come upon something that the person should know; or the last step broke off, and how it ended is being found
  /// out.
  mutating func doubts(_ sentence: String) throws
  /// About a second has passed.
  ///
  /// - Parameter remaining: milliseconds that the code is good for, when that is known.
  mutating func ticked(remaining: Int64?) throws
  /// The terminal has another size.
  mutating func resized() throws
  /// The node of this machine is gone, or is back.
  mutating func node(isThere: Bool) throws
  /// It is over; the sentence about it follows.
  mutating func ended(_ pairing: PairingProgress) throws
}

extension PairingView {
  mutating func ticked(remaining: Int64?) throws {}
  mutating func resized() throws {}
  mutating func node(isThere: Bool) throws {}
  mutating func doubts(_ sentence: String) throws {}
  mutating func unclear() throws {}
  mutating func answered(_ pairing: PairingProgress, accepts: Bool) throws {}
  mutating func lost(_ pairing: PairingProgress) throws {}
  mutating func ended(_ pairing: PairingProgress) throws {}
}

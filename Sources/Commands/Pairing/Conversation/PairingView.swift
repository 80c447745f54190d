import LatchkeyModel

/// How a pairing is shown while it goes on.
protocol PairingView {
  /// It has begun: a code is open, or the machine that shows it is looked for.
  mutating func began(_ pairing: PairingProgress) throws
  /// Shows that a wrong code was entered.
  mutating func guessed(failuresLeft: Int) throws
  /// A machine that has the code is there; with `asks`, the person has to say yes or no.
  mutating func met(_ pairing: PairingProgress, asks: Bool) throws
  /// Shows that the answer was neither yes nor no, and asks again.
  mutating func unclear() throws
  /// Shows that the machine has left and that the code is still open.
  mutating func lost(_ pairing: PairingProgress) throws
  /// The answer is on its way to the other machine.
  mutating func answered(_ pairing: PairingProgress, accepts: Bool) throws
  /// Shows an observation of the search, or that the last step broke off and its result is being determined.
  mutating func doubts(_ sentence: String) throws
  /// Updates the view after about a second; `remaining` is the time until the code closes in milliseconds, if known.
  mutating func ticked(remaining: Int64?) throws
  /// Updates the view after the size of the terminal changed.
  mutating func resized() throws
  /// Shows that the node of this machine cannot be reached, or can be again.
  mutating func node(isThere: Bool) throws
  /// Shows that the pairing has ended; the sentence about the outcome follows.
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

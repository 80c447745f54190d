/// Sentences about a pairing that people read in a terminal and on a page.
///
/// Those of an outcome and its next step are the node's own (`PairingProgress.phrase`).
extension PairingProgress {
  /// Returns the sentence about a wrong code and the attempts left.
  public static func guessed(_ failuresLeft: Int) -> Phrase {
    Phrase(
      one: "Somebody entered a wrong code; {count} failure left until the code is closed.",
      other: "Somebody entered a wrong code; {count} failures left until the code is closed.", count: failuresLeft)
  }

  /// What the node says of the outcome and the next step; `nil` for nothing.
  public var told: Phrase? { phrase ?? sentence.map { Phrase(verbatim: $0) } }

  /// The sentence that says which machine is paired now.
  public var pairedPhrase: Phrase {
    let name = device?.name ?? peerName ?? DeviceName(sanitising: "")
    guard let given = peerName, let device, device.name != given else {
      return Phrase("Paired with {machine}.", ["machine": name.quotation])
    }
    return Phrase(
      "Paired with {machine}, which got that name because there is a machine called {given} already.",
      ["machine": name.quotation, "given": given.quotation])
  }

  /// Returns the sentence about a no, on the machine that shows the code; `nil` if the node knows
  /// better what happened.
  ///
  /// - Parameter isHere: Whether the person at this machine said it.
  /// - Returns: Who said no, and the next step.
  public func refusal(isHere: Bool) -> Phrase? {
    guard part == .inviter else { return nil }
    if isHere {
      return Phrase(
        """
        You said no: the other machine was turned away and the code is closed; run `latchkey pair` for a new one.
        """)
    }
    // Only a machine that was asked about can have said no.
    guard attempt > 0 else { return nil }
    return Phrase(
      """
      The other machine said no, and the code is closed: the digits differ or somebody declined; ask there, then run \
      `latchkey pair` for a new one.
      """)
  }
}

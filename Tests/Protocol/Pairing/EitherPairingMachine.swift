import LatchkeyModel
import LatchkeyProtocol

/// The common interface of the machines of both sides.
protocol EitherPairingMachine: Sendable {
  var isEnded: Bool { get }
  mutating func received(_ frame: [UInt8]) -> [PairingEffect]
  mutating func requestedAccept() -> [PairingEffect]
  mutating func requestedEnd(_ outcome: PairingOutcome) -> [PairingEffect]
  mutating func stored() -> [PairingEffect]
  mutating func promoted() -> [PairingEffect]
  mutating func connectionLost() -> [PairingEffect]
}

extension PairingInviterMachine: EitherPairingMachine {}
extension PairingJoinerMachine: EitherPairingMachine {}

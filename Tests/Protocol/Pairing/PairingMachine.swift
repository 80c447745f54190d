import LatchkeyModel
import LatchkeyProtocol

/// The common interface of the machines of both sides.
protocol PairingMachine: Sendable {
  var isEnded: Bool { get }
  mutating func received(_ frame: [UInt8]) -> [PairingEffect]
  mutating func requestedAccept() -> [PairingEffect]
  mutating func requestedEnd(_ outcome: PairingOutcome) -> [PairingEffect]
  mutating func stored() -> [PairingEffect]
  mutating func promoted() -> [PairingEffect]
  mutating func connectionLost() -> [PairingEffect]
}

extension PairingInviterMachine: PairingMachine {}
extension PairingJoinerMachine: PairingMachine {}

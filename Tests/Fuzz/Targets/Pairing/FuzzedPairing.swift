import LatchkeyModel
import LatchkeyProtocol

/// The common interface of the machines of both sides.
protocol FuzzedPairing: Sendable {
  var isEnded: Bool { get }
  var isPastReturn: Bool { get }
  mutating func received(_ frame: [UInt8]) -> [PairingEffect]
  mutating func requestedAccept() -> [PairingEffect]
  mutating func requestedEnd(_ outcome: PairingOutcome) -> [PairingEffect]
  mutating func stored() -> [PairingEffect]
  mutating func promoted() -> [PairingEffect]
  mutating func connectionLost() -> [PairingEffect]
}

extension PairingInviterMachine: FuzzedPairing {}
extension PairingJoinerMachine: FuzzedPairing {}

import Foundation
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests with the results of an independent implementation: Protocol/vectors/rotation.json.
@Suite struct RotationVectorTests {
  private struct File: Decodable {
    struct KeyID: Decodable {
      let pairwiseKey: String
      let keyID: String
    }
    struct Hint: Decodable {
      let discoveryKey: String
      let nonce: String
      let deviceID: String
      let hint: String
    }
    let keyID: [KeyID]
    let hint: [Hint]
  }

  private let file: File

  init() throws {
    let path = URL(filePath: #filePath).appending(path: "../../../../Protocol/vectors/rotation.json").standardized
    file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
  }

  @Test func keysHaveTheNamesOfTheVectors() {
    #expect(file.keyID.count == 4)
    for vector in file.keyID { #expect(PairwiseKeyID.make(hex(vector.pairwiseKey)) == hex(vector.keyID)) }
  }

  @Test func aHintChangesWithTheDiscoveryKey() throws {
    for vector in file.hint {
      let device = try #require(DeviceID(bytes: hex(vector.deviceID)))
      let hint = DiscoveryHint.make(discoveryKey: hex(vector.discoveryKey), nonce: hex(vector.nonce), device: device)
      #expect(hint == hex(vector.hint))
    }
    #expect(Set(file.hint.map(\.hint)).count == file.hint.count)
  }
}

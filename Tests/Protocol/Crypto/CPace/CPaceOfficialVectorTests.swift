import LatchkeyProtocol
import Testing

@Suite("CPace: the draft's vectors", .enabled(if: Vectors.officialFolder != nil, "\(Vectors.officialReason)"))
struct CPaceOfficialVectorTests {
  struct File: Decodable {
    struct Groups: Decodable {
      let run: Run
      let points: Points

      enum CodingKeys: String, CodingKey {
        case run = "G_Coffee25519"
        case points = "G_Coffee25519_points"
      }
    }
    struct Run: Decodable {
      let password: Hex
      let channelIdentifier: Hex
      let sessionID: Hex
      let generator: Hex
      let initiatorScalar: Hex
      let initiatorData: Hex
      let initiatorShare: Hex
      let responderScalar: Hex
      let responderData: Hex
      let responderShare: Hex
      let shared: Hex
      let key: Hex
      let output: Hex

      enum CodingKeys: String, CodingKey {
        case password = "PRS"
        case channelIdentifier = "CI"
        case sessionID = "sid"
        case generator = "g"
        case initiatorScalar = "ya"
        case initiatorData = "ADa"
        case initiatorShare = "Ya"
        case responderScalar = "yb"
        case responderData = "ADb"
        case responderShare = "Yb"
        case shared = "K"
        case key = "ISK_IR"
        case output = "sid_output_ir"
      }
    }
    struct Points: Decodable {
      struct Valid: Decodable {
        let scalar: Hex
        let point: Hex
        let product: Hex
        let verifiedProduct: Hex

        enum CodingKeys: String, CodingKey {
          case scalar = "s"
          case point = "X"
          case product = "G.scalar_mult(s,decode(X))"
          case verifiedProduct = "G.scalar_mult_vfy(s,X)"
        }
      }
      let valid: Valid
      let invalid1: Hex
      let invalid2: Hex

      enum CodingKeys: String, CodingKey {
        case valid = "Valid"
        case invalid1 = "Invalid Y1"
        case invalid2 = "Invalid Y2"
      }
    }
    let vectors: Groups
  }

  @Test("the run results in the draft's key on both sides")
  func run() throws {
    let vector = try Vectors.official("cpace-ristretto255.json", as: File.self).vectors.run
    #expect(
      CPace.generator(
        password: vector.password.secret, channelIdentifier: vector.channelIdentifier.bytes,
        sessionID: vector.sessionID.bytes) == vector.generator.secret)
    #expect(
      try CPace.multiply(CPaceScalar(secret: vector.initiatorScalar.secret), vector.responderShare.bytes)
        == vector.shared.secret)
    func begin(_ role: CPaceRole, _ scalar: Hex, _ data: Hex) throws -> CPace {
      try CPace(
        role: role, password: vector.password.secret, channelIdentifier: vector.channelIdentifier.bytes,
        sessionID: vector.sessionID.bytes,
        associatedData: data.bytes, scalar: CPaceScalar(secret: scalar.secret))
    }
    let initiator = try begin(.initiator, vector.initiatorScalar, vector.initiatorData)
    let responder = try begin(.responder, vector.responderScalar, vector.responderData)
    #expect(initiator.share == vector.initiatorShare.bytes && responder.share == vector.responderShare.bytes)
    for key in [
      try initiator.finish(remoteShare: vector.responderShare.bytes, remoteAssociatedData: vector.responderData.bytes),
      try responder.finish(remoteShare: vector.initiatorShare.bytes, remoteAssociatedData: vector.initiatorData.bytes),
    ] {
      #expect(key.intermediateSessionKey == vector.key.secret)
      #expect(key.sessionIDOutput == vector.output.bytes)
    }
  }

  @Test("valid points multiply, invalid ones end the run")
  func points() throws {
    let points = try Vectors.official("cpace-ristretto255.json", as: File.self).vectors.points
    let scalar = try CPaceScalar(secret: points.valid.scalar.secret)
    let product = try CPace.multiply(scalar, points.valid.point.bytes)
    #expect(product == points.valid.product.secret && product == points.valid.verifiedProduct.secret)
    #expect(throws: CPaceError.invalidShare) { try CPace.multiply(scalar, points.invalid1.bytes) }
    #expect(throws: CPaceError.invalidShare) { try CPace.multiply(scalar, points.invalid2.bytes) }
  }
}

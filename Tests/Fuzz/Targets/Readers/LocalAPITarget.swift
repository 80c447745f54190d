import LatchkeyModel
import LatchkeyNode

/// A request to the local API.
///
/// The first byte chooses between method and target, and the body.
enum LocalAPITarget {
  private static let methods = ["GET", "POST", "DELETE", "PUT", "get", ""]

  static func seeds() -> [[UInt8]] {
    let targets = [
      "/v1/status", "/v1/sync", "/v1/queue/x/usage/18446744073709551615", "/v1/queue?class=command", "/v1/settings",
      "/v1/apps?child=Emma", "/v1/devices", "/v1/devices/Emma%27s%20PC",
      "/v1/devices/x/forget", "/v1/devices/x/release",
      "/v1/pairing", "/v1/pairing/invitations", "/v1/pairing/joins",
      "/v1/pairing/nearby?after=3", "/v1/pairing/ab12?after=-1", "/v1/pairing/ab12/answer", "/v1/commands?limit=5",
      "/v1/commands?device=a&limit=100", "/v1/commands/x/wait", "/v1/commands/x", "/v1/children/a/report?from=a&to=b",
      "/v1/usage?device=a&app=b&from=1&to=2&limit=3&cursor=c", "/v1/usage/sessions", "/v1/usage/sessions/x/end",
      "/v1/usage?limit=9999999999999999999999", "/v1//status", "/v1/%ff", "/v1/%4", "v1", "/", "/v1/apps?&=&==&a",
      "/v1/devices/%2541", "/v1/apps?child=%25%26%3D%2B",
    ]
    let bodies: [(UInt8, String)] = [
      (1, #"{"minutes":5,"childName":"Emma","acceptWithoutAsking":false}"#),
      (2, #"{"code":"N5-7Q2MN-43","peer":"[fe80::1%2]:4","acceptWithoutAsking":true}"#),
      (3, #"{"accept":true,"attempt":1}"#), (4, #"{"device":"Emma","kind":"requestReport","payload":{}}"#),
      (4, #"{"device":"Emma","kind":"message","payload":{"text":"\ud83d\ude00 \u0000"}}"#),
      (4, #"{"device":"E","kind":"edit","payload":{"registers":[]}}"#),
      (
        5,
        #"{"appID":"a","processID":7,"processStartTime":8,"startedAt":{"milliseconds":1},"startedAtWall":2,"zone":"UTC"}"#
      ),
      (3, #"{"accept":true,"attempt":1e400}"#), (3, String(repeating: #"{"a":["#, count: 700)),
    ]
    var seeds: [[UInt8]] = []
    for (number, target) in targets.enumerated() {
      for method in number...(number + 1) { seeds.append([0, UInt8(method % 3)] + Array(target.utf8)) }
    }
    for (kind, body) in bodies { seeds.append([kind] + Array(body.utf8)) }
    return seeds
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    switch script.choice(6) {
    case 0:
      let method = methods[script.choice(methods.count)]
      try checkTarget(method, String(decoding: script.remainder(), as: UTF8.self))
    case 1: try checkBody(InviteRequest.self, script.remainder())
    case 2: try checkBody(JoinRequest.self, script.remainder())
    case 3: try checkBody(PairingAnswer.self, script.remainder())
    case 4: try checkBody(CommandRequest.self, script.remainder())
    default: try checkBody(UsageStartRequest.self, script.remainder())
    }
  }

  /// Checks that a target is one request that our own client would write in the same way, or one of
  /// three refusals with a sentence.
  private static func checkTarget(_ method: String, _ text: String) throws(FuzzFault) {
    let target: RequestTarget
    do throws(ControlFailure) { target = try RequestTarget(checking: text) } catch {
      try require(error.status == 400 && !error.error.message.isEmpty, "\(text): \(error)")
      return
    }
    let matches = Endpoints.matches(target.segments)
    let methods = matches.map(\.endpoint.route.method.rawValue)
    try require(Set(methods).count == methods.count, "\(text) is several endpoints of one method: \(methods)")
    guard let (endpoint, parameters) = matches.first(where: { $0.endpoint.route.method.rawValue == method }) else {
      return
    }
    let request = IncomingRequest(parameters: parameters, query: target.query)
    // Routes with a body need one; bodies are tested separately.
    guard let written = try rewritten(endpoint, request) else { return }
    try require(written.method.rawValue == method, "\(method) \(text) is written as \(written.method)")
    guard let read = RequestTarget(written.target.text),
      let match = Endpoints.matches(read.segments).first(where: { $0.endpoint.route.method == endpoint.route.method }),
      match.endpoint.route.path == endpoint.route.path,
      let again = try rewritten(match.endpoint, IncomingRequest(parameters: match.parameters, query: read.query))
    else { throw FuzzFault("\(text) is written as \(written.target.text), and not read as the same") }
    try require(again == written, "\(text) is \(written), and written and read \(again)")
  }

  /// Reads a request and writes it as our client does; returns `nil` if the server refuses it.
  private static func rewritten(_ endpoint: any ServedEndpoint, _ request: IncomingRequest) throws(FuzzFault)
    -> OutgoingRequest?
  {
    do { return try endpoint.rewrite(request) } catch let failure as ControlFailure {
      try require(failure.status == 400 && !failure.error.message.isEmpty, "\(request) is answered by \(failure)")
      return nil
    } catch { throw FuzzFault("\(request) is answered by \(error)") }
  }

  private static func checkBody<Body: Codable & Equatable>(
    _ type: Body.Type, _ bytes: [UInt8]
  ) throws(FuzzFault) {
    guard let body = try? LocalJSON.decode(type, from: bytes) else { return }
    guard let written = try? LocalJSON.encode(body), let again = try? LocalJSON.decode(type, from: written) else {
      throw FuzzFault("\(body) was read and cannot be written and read again")
    }
    try require(again == body, "\(body) was written and read as \(again)")
  }
}

import Foundation
import LatchkeyModel

/// A Home Assistant of a test's own on loopback, in the system that `Tools/home-assistant` has made
/// in the folder that `LATCHKEY_HOME_ASSISTANT` names.
///
/// It connects to a broker without TLS, because its settings name a certificate by a path of its
/// own.
actor HomeAssistant {
  /// The folder with the system; `nil` if there is none.
  static let system = ProcessInfo.processInfo.environment["LATCHKEY_HOME_ASSISTANT"]

  /// An entity's state.
  struct State: Decodable {
    var entity: String
    var state: String

    private enum CodingKeys: String, CodingKey {
      case entity = "entity_id"
      case state
    }
  }

  private let lab: ProcessLab
  private let system: String
  private let config: String
  private let port: UInt16
  private var process: SpawnedProcess?
  private var token = ""

  /// Writes its settings, and starts it.
  init(_ lab: ProcessLab, system: String, brokerPort: UInt16) async throws {
    (self.lab, self.system, config, port) = (lab, system, lab.newPath(), try lab.freePort())
    let storage = config + "/.storage"
    try FileManager.default.createDirectory(atPath: storage, withIntermediateDirectories: true)
    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: config + "/" + name))
    }
    try write(
      "configuration.yaml",
      """
      homeassistant:
        name: Home
        country: DE
        unit_system: metric
        time_zone: Europe/Berlin
      http:
        server_host: 127.0.0.1
        server_port: \(port)
      api:
      logger:
        default: warning

      """)
    try write(
      ".storage/onboarding",
      """
      {"version":4,"minor_version":1,"key":"onboarding",
       "data":{"done":["user","core_config","analytics","integration"]}}
      """)
    let birth = { (word: String) in
      "{\"topic\":\"homeassistant/status\",\"payload\":\"\(word)\",\"qos\":0,\"retain\":false}"
    }
    try write(
      ".storage/core.config_entries",
      """
      {"version":1,"minor_version":5,"key":"core.config_entries","data":{"entries":[{
       "created_at":"2026-01-01T00:00:00+00:00","modified_at":"2026-01-01T00:00:00+00:00",
       "data":{"broker":"127.0.0.1","port":\(brokerPort),"username":"home","password":"home"},
       "disabled_by":null,"discovery_keys":{},"domain":"mqtt","entry_id":"01JLATCHKEY0000000000000000",
       "version":1,"minor_version":2,"options":{"discovery":true,"discovery_prefix":"homeassistant",
       "birth_message":\(birth("online")),"will_message":\(birth("offline"))},
       "pref_disable_new_entities":false,"pref_disable_polling":false,"source":"user","subentries":[],
       "title":"Broker","unique_id":null}]}}
      """)
    let added = try await lab.run(
      BuiltProgram.tools + "/home-assistant", ["user", system, config, "parent", "a password"])
    guard added.status == 0 else { throw LabFault("\(added)") }
    try await start()
  }

  /// Starts it, and waits until a person can log in.
  func start() async throws {
    let process = try lab.spawn(
      BuiltProgram.tools + "/home-assistant", ["run", system, config], output: "/dev/null", talk: config + ".log")
    self.process = process
    try await eventually("Home Assistant answers") {
      guard process.isRunning else { throw LabFault("It ended: \(ProcessLab.read(self.config + ".log"))") }
      return (try? await self.logIn()) == true
    }
  }

  func stop() async {
    process?.signal(SIGTERM)
    _ = await process?.wait()
  }

  private func logIn() async throws -> Bool {
    struct Flow: Decodable {
      var id: String
      enum CodingKeys: String, CodingKey { case id = "flow_id" }
    }
    struct Result: Decodable { var result: String }
    struct Token: Decodable {
      var access: String
      enum CodingKeys: String, CodingKey { case access = "access_token" }
    }
    let client = "http://127.0.0.1:\(port)/"
    let flow: Flow = try await ask(
      "POST", "auth/login_flow",
      "{\"client_id\":\"\(client)\",\"handler\":[\"homeassistant\",null],\"redirect_uri\":\"\(client)\"}")
    let result: Result = try await ask(
      "POST", "auth/login_flow/\(flow.id)",
      "{\"client_id\":\"\(client)\",\"username\":\"parent\",\"password\":\"a password\"}")
    let token: Token = try await ask(
      "POST", "auth/token", "grant_type=authorization_code&code=\(result.result)&client_id=\(client)",
      type: "application/x-www-form-urlencoded")
    self.token = token.access
    return true
  }

  /// Sends a request, by a program so that no test waits in a thread.
  private func ask<Answer: Decodable>(
    _ method: String, _ path: String, _ body: String = "", type: String = "application/json"
  ) async throws -> Answer {
    var arguments = [
      "-sS", "--fail", "--max-time", "10", "-X", method, "-H", "content-type: \(type)",
      "http://127.0.0.1:\(port)/\(path)",
    ]
    if !token.isEmpty { arguments += ["-H", "authorization: Bearer \(token)"] }
    if !body.isEmpty { arguments += ["-d", body] }
    let answer = try await lab.run("curl", arguments)
    guard answer.status == 0 else { throw LabFault("\(path): \(answer)") }
    return try answer.decode(Answer.self)
  }

  /// Returns the states of the entities whose ID contains a text.
  func states(_ text: String) async throws -> [String: String] {
    let all: [State] = try await ask("GET", "api/states")
    return Dictionary(all.filter { $0.entity.contains(text) }.map { ($0.entity, $0.state) }) { $1 }
  }

  func call(_ service: String, _ entity: String) async throws {
    let _: [State] = try await ask("POST", "api/services/\(service)", "{\"entity_id\":\"\(entity)\"}")
  }
}

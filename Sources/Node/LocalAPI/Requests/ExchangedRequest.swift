/// A request as the client of an endpoint writes it.
package struct OutgoingRequest: Hashable, Sendable {
  package let method: Route.Method
  private let template: PathTemplate
  var parameters: [String: String] = [:]
  var query: [String: String] = [:]
  /// The body as JSON; `nil` for none.
  package var body: [UInt8]?

  init(method: Route.Method, template: PathTemplate) {
    self.method = method
    self.template = template
  }

  package var target: RequestTarget { RequestTarget(segments: template.segments(parameters), query: query) }
}

/// A decoded request as an endpoint of the server reads it.
package struct IncomingRequest: Hashable, Sendable {
  package var parameters: [String: String]
  package var query: [String: String]
  /// The body; empty for an endpoint without one.
  package var body: [UInt8] = []

  package init(parameters: [String: String], query: [String: String], body: [UInt8] = []) {
    self.parameters = parameters
    self.query = query
    self.body = body
  }
}

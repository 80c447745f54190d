/// What `latchkey-bench delivery` can measure, in the order of its table.
enum DeliveryFigure: String, CaseIterable {
  case throughput, drain, single, `return`, children, growth, idle, api
}

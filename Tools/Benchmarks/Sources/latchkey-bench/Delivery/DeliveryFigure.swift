/// The figures of `latchkey-bench delivery`, in the order of its table.
enum DeliveryFigure: String, CaseIterable {
  case throughput, drain, single, `return`, children, growth, idle, api
}

import Testing

/// All tests that start real nodes.
///
/// They run one after another, since they share a machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum ProcessTests {}

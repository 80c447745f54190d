import Testing

/// All tests that start real nodes.
///
/// They run one after another, since they share a machine.
@Suite(.serialized, .timeLimit(.minutes(9)))
enum ProcessTests {}

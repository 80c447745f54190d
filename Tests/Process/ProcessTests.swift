import Testing

/// Everything that starts real nodes: one after the other, for they share a machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum ProcessTests {}

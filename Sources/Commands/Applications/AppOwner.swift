import ArgumentParser

/// The option that names the owner of an application's rules: a child, or the whole family.
struct AppOwner: ParsableArguments {
  @OptionGroup var whose: RuleOwnerOptions

  /// A machine, which is refused with a sentence: rules belong to a child.
  @Option(name: .customLong("on"), help: .hidden)
  var machine: String?

  mutating func validate() throws {
    if machine != nil {
      throw ValidationError(
        "Rules are a child's and hold on all machines of the child's, so --on does not fit here: name the child with --child, "
          + "or leave it out if there is only one.")
    }
  }
}

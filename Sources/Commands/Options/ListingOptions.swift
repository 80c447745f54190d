import ArgumentParser

/// What every listing takes.
struct ListingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How to write it.", valueName: "table|json"))
  var format: ListingFormat = .table
}

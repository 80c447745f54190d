import Dispatch
import Glibc
import LatchkeyCommands

/// The `latchkey` program.
@main
enum Latchkey {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let status = LatchkeyProgram.answer(arguments: arguments) { exit(status) }
    LatchkeyProgram.confine(arguments: arguments)
    Task { exit(await LatchkeyProgram.main(arguments: arguments)) }
    dispatchMain()
  }
}

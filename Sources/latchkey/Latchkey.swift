import Glibc
import LatchkeyCommands

/// The `latchkey` program.
@main
enum Latchkey {
  static func main() async {
    exit(await LatchkeyProgram.run(arguments: Array(CommandLine.arguments.dropFirst())))
  }
}

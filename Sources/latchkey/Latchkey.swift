import Glibc
import LatchkeyCommands

/// The `latchkey` program.
@main
enum Latchkey {
  static func main() async {
    exit(await LatchkeyProgram.main(arguments: Array(CommandLine.arguments.dropFirst())))
  }
}

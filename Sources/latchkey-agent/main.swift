import Glibc
import LatchkeyAgentProgram

exit(AgentProgram.main(arguments: Array(CommandLine.arguments.dropFirst())))

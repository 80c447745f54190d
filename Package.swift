// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: no warning survives, and `any` is written where a type is
/// erased.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// The fuzzers' program, which only `Tools/fuzz` builds: it needs the compiler's fuzzing runtime to link.
let fuzzer: [Target] =
  Context.environment["LATCHKEY_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "latchkey-fuzz", dependencies: ["LatchkeyFuzzTargets"], path: "Tests/Fuzz/Driver", swiftSettings: strict)
  ]

let package = Package(
  name: "latchkey",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "latchkey", targets: ["latchkey"]),
    .executable(name: "latchkey-agent", targets: ["latchkey-agent"]),
    .library(
      name: "LatchkeyProtocol", targets: ["LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyProtocol"]),
    .library(name: "LatchkeyNode", targets: ["LatchkeyNode"]),
    .library(name: "LatchkeyCommands", targets: ["LatchkeyCommands"]),
    .library(name: "LatchkeyHousehold", targets: ["LatchkeyHousehold"]),
    .library(name: "LatchkeyRules", targets: ["LatchkeyModel", "LatchkeyCalendar", "LatchkeyRules"]),
    // Only tests load these into nodes.
    .library(name: "LatchkeyDiskFault", type: .dynamic, targets: ["LatchkeyDiskFault"]),
    .library(name: "LatchkeyClockShift", type: .dynamic, targets: ["LatchkeyClockShift"]),
    .library(name: "LatchkeyBridgedEvents", type: .dynamic, targets: ["LatchkeyBridgedEvents"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
    .package(url: "https://github.com/onevcat/Rainbow.git", from: "4.2.2"),
  ],
  targets: [
    // C libraries, each with only a module map and a shim.
    .systemLibrary(
      name: "CSodium", path: "Sources/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    // Avahi's pkg-config files carry a flag that the package manager refuses with a warning; the headers need none.
    .systemLibrary(name: "CAvahi", path: "Sources/CAvahi", providers: [.apt(["libavahi-client-dev"])]),
    .systemLibrary(name: "CAvahiCore", path: "Sources/CAvahiCore", providers: [.apt(["libavahi-core-dev"])]),
    .systemLibrary(
      name: "CQREncode", path: "Sources/CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CProcess", path: "Sources/CProcess"),
    .systemLibrary(name: "CInput", path: "Sources/CInput"),
    .systemLibrary(name: "CTerminal", path: "Sources/CTerminal"),
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
    .systemLibrary(
      name: "CSystemd", path: "Sources/CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

    .target(name: "LatchkeyModel", path: "Sources/Model", swiftSettings: strict),
    // Separate from the model, since time zones need all of Foundation, which the agent's program
    // does not have.
    .target(name: "LatchkeyCalendar", dependencies: ["LatchkeyModel"], path: "Sources/Calendar", swiftSettings: strict),
    .target(
      name: "LatchkeyCrypto", dependencies: ["LatchkeyModel", "CSodium"], path: "Sources/Crypto", swiftSettings: strict),
    .target(
      name: "LatchkeyWire",
      dependencies: ["LatchkeyModel", .product(name: "SwiftProtobuf", package: "swift-protobuf")],
      path: "Sources/Wire", swiftSettings: strict),
    .target(
      name: "LatchkeyRules", dependencies: ["LatchkeyCalendar", "LatchkeyModel"], path: "Sources/Rules",
      swiftSettings: strict),
    .target(
      name: "LatchkeyHousehold",
      dependencies: [
        "LatchkeyCalendar",
        "LatchkeyModel", "LatchkeyRules", "LatchkeyWire",
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      path: "Sources/Household", swiftSettings: strict),
    .target(
      name: "LatchkeyProtocol", dependencies: ["LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire"],
      path: "Sources/Protocol", swiftSettings: strict),
    .target(
      name: "LatchkeyStore",
      dependencies: [
        "LatchkeyCalendar",
        "LatchkeyModel", "CSQLite", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Sources/Store", swiftSettings: strict),
    .target(
      name: "LatchkeyDiscovery", dependencies: ["LatchkeyModel", "LatchkeyAgent", "CAvahi", "CAvahiCore"],
      path: "Sources/Discovery", swiftSettings: strict),
    .target(
      name: "LatchkeyTransport",
      dependencies: ["LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyProtocol"] + nio,
      path: "Sources/Transport", swiftSettings: strict),
    .target(
      name: "LatchkeyNode",
      dependencies: [
        "LatchkeyCalendar",
        "LatchkeyHousehold", "LatchkeyRules",
        "LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyProtocol", "LatchkeyStore", "LatchkeyDiscovery",
        "LatchkeyTransport", "LatchkeyAgent", "LatchkeyAgentProtocol", logging,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ] + nio,
      path: "Sources/Node", swiftSettings: strict),
    .target(
      name: "LatchkeyAgent", dependencies: ["LatchkeyModel", "CProcess", "CSystemd", "CInput"], path: "Sources/Agent",
      swiftSettings: strict),
    .target(
      name: "LatchkeyAgentProtocol", dependencies: ["LatchkeyModel"], path: "Sources/AgentProtocol",
      swiftSettings: strict),
    .target(
      name: "LatchkeyAgentProgram",
      dependencies: ["LatchkeyModel", "LatchkeyCrypto", "LatchkeyAgentProtocol", "LatchkeyAgent"],
      path: "Sources/AgentProgram", swiftSettings: strict),
    .executableTarget(
      name: "latchkey-agent", dependencies: ["LatchkeyAgentProgram"], path: "Sources/latchkey-agent",
      swiftSettings: strict),
    .target(
      name: "LatchkeyDoctor", dependencies: ["LatchkeyModel", "LatchkeyAgent"], path: "Sources/Doctor",
      swiftSettings: strict),
    .target(
      name: "LatchkeyCommands",
      dependencies: [
        "LatchkeyCalendar",
        "LatchkeyHousehold", "LatchkeyRules",
        "LatchkeyModel", "LatchkeyNode", "LatchkeyAgent", "LatchkeyDoctor", "CQREncode", "CTerminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Rainbow", package: "Rainbow"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + nio,
      path: "Sources/Commands", swiftSettings: strict),
    .executableTarget(
      name: "latchkey", dependencies: ["LatchkeyCommands"], path: "Sources/latchkey", swiftSettings: strict),
    .target(
      name: "LatchkeyTestSupport",
      dependencies: ["LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyProtocol"],
      path: "Tests/Support", swiftSettings: strict),
    // Many nodes in one process, with simulated time and a simulated network: see Tests/Simulation.
    .target(
      name: "LatchkeySimulation",
      dependencies: [
        "LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyRules", "LatchkeyHousehold", "LatchkeyProtocol",
        "LatchkeyTestSupport",
      ],
      path: "Tests/Simulation/Engine", swiftSettings: strict),
    .executableTarget(
      name: "latchkey-simulate",
      dependencies: ["LatchkeySimulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Tests/Simulation/Program", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyModelTests",
      dependencies: ["LatchkeyCalendar", "LatchkeyHousehold", "LatchkeyModel", "LatchkeyTestSupport"],
      path: "Tests/Model",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeyCalendarTests", dependencies: ["LatchkeyCalendar", "LatchkeyModel", "LatchkeyTestSupport"],
      path: "Tests/Calendar", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyCryptoTests", dependencies: ["LatchkeyCrypto", "LatchkeyModel", "LatchkeyTestSupport"],
      path: "Tests/Crypto", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyWireTests",
      dependencies: ["LatchkeyHousehold", "LatchkeyWire", "LatchkeyModel", "LatchkeyTestSupport"],
      path: "Tests/Wire",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeyRulesTests",
      dependencies: ["LatchkeyCalendar", "LatchkeyRules", "LatchkeyModel", "LatchkeyTestSupport"],
      path: "Tests/Rules", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyHouseholdTests",
      dependencies: [
        "LatchkeyHousehold", "LatchkeyRules", "LatchkeyWire", "LatchkeyModel", "LatchkeySimulation",
        "LatchkeyTestSupport",
      ],
      path: "Tests/Household", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyProtocolTests",
      dependencies: ["LatchkeyProtocol", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyModel", "LatchkeyTestSupport"],
      path: "Tests/Protocol", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyStoreTests",
      dependencies: [
        "LatchkeyCalendar",
        "LatchkeyHousehold", "LatchkeyRules",
        "LatchkeyStore", "LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/Store", swiftSettings: strict),
    // Runs the discovery back ends in processes and network namespaces that tests create.
    .executableTarget(
      name: "latchkey-discovery-probe", dependencies: ["LatchkeyDiscovery"], path: "Tests/DiscoveryProbe",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeySimulationTests",
      dependencies: [
        "LatchkeyHousehold",
        "LatchkeySimulation", "LatchkeyStore", "LatchkeyModel", "LatchkeyWire", "LatchkeyTestSupport",
      ],
      path: "Tests/Simulation/Tests", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyDiscoveryTests",
      dependencies: ["LatchkeyDiscovery", "CAvahi", "LatchkeyAgent", "LatchkeyModel", "latchkey-discovery-probe"],
      path: "Tests/Discovery", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyTransportTests",
      dependencies: [
        "LatchkeyTransport", "LatchkeyProtocol", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyModel",
        "LatchkeyTestSupport",
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOTestUtils", package: "swift-nio"),
      ] + nio,
      path: "Tests/Transport", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyNodeTests",
      dependencies: [
        "LatchkeyCalendar", "LatchkeyHousehold", "LatchkeyNode", "LatchkeyProtocol", "LatchkeyRules", "LatchkeyStore",
        "LatchkeyAgent", "LatchkeyAgentProtocol", "LatchkeyModel", "LatchkeyTestSupport",
      ],
      path: "Tests/Node",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeyAgentTests", dependencies: ["LatchkeyAgent", "LatchkeyModel", "CSystemd", "CInput"],
      path: "Tests/Agent",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeyAgentProtocolTests",
      dependencies: ["LatchkeyAgentProtocol", "LatchkeyModel", "LatchkeyTestSupport"],
      path: "Tests/AgentProtocol", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyAgentProgramTests",
      dependencies: [
        "LatchkeyAgentProgram", "LatchkeyAgentProtocol", "LatchkeyAgent", "LatchkeyModel", "LatchkeyTestSupport",
      ],
      path: "Tests/AgentProgram", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyDoctorTests", dependencies: ["LatchkeyDoctor", "LatchkeyAgent", "LatchkeyModel"],
      path: "Tests/Doctor", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyCommandsTests",
      dependencies: [
        "LatchkeyHousehold", "LatchkeyRules",
        "LatchkeyCommands", "LatchkeyNode", "LatchkeyStore", "LatchkeyAgent", "LatchkeyDoctor", "LatchkeyModel",
        "LatchkeyTestSupport",
        "CProcess",
      ],
      path: "Tests/Commands", exclude: ["Snapshots"], swiftSettings: strict),
    // Stands between a node and its disk in tests.
    .target(name: "LatchkeyDiskFault", path: "Tests/DiskFault"),
    // Gives a node another wall clock in tests.
    .target(name: "LatchkeyClockShift", path: "Tests/ClockShift"),
    // Brings process events to the agent of a nested system.
    .target(name: "LatchkeyBridgedEvents", path: "Tests/BridgedEvents"),
    .executableTarget(name: "LatchkeyEventBridge", path: "Tests/EventBridge"),
    // A node with one more kind of command, which only tests use.
    .executableTarget(
      name: "latchkey-waiting-node",
      dependencies: ["LatchkeyHousehold", "LatchkeyModel", "LatchkeyNode"],
      path: "Tests/WaitingNode", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyProcessTests",
      dependencies: [
        "LatchkeyHousehold",
        "LatchkeyModel", "LatchkeyProtocol", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyTransport", "LatchkeyCommands",
        "LatchkeyNode", "LatchkeyDiscovery", "LatchkeyDoctor", "LatchkeyTestSupport", "latchkey",
        "latchkey-discovery-probe",
        "latchkey-waiting-node", "latchkey-agent", "LatchkeyEventBridge", "LatchkeyAgent", "LatchkeyAgentProtocol",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/Process", swiftSettings: strict),
    // The targets of the fuzzers, in a library of its own, with which the tests replay the kept
    // inputs.
    .target(
      name: "LatchkeyFuzzTargets",
      dependencies: [
        "LatchkeyHousehold",
        "LatchkeyModel", "LatchkeyCrypto", "LatchkeyWire", "LatchkeyProtocol", "LatchkeyDiscovery",
        "LatchkeyTransport", "LatchkeyNode", "LatchkeyAgent", "LatchkeyAgentProtocol", "LatchkeyTestSupport",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyFuzzTests", dependencies: ["LatchkeyFuzzTargets"], path: "Tests/Fuzz/Replay", swiftSettings: strict
    ),
  ] + fuzzer,
  swiftLanguageModes: [.v6]
)

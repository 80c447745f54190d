// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: no warning survives, and `any` is written where a type is
/// erased.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

/// The settings of modules whose code is kept small in programs for release.
///
/// They wait for people, the network or the node most of the time, and no node runs them to deliver
/// a command or a record.
let compact = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// The fuzzers' program, which only `Tools/fuzz` builds: it needs the compiler's fuzzing runtime to
/// link.
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
      name: "LatchkeyProtocol", targets: ["LatchkeyModel", "LatchkeyProtocol"]),
    .library(name: "LatchkeyNode", targets: ["LatchkeyNode"]),
    .library(name: "LatchkeyCommands", targets: ["LatchkeyCommands"]),
    .library(name: "LatchkeyHousehold", targets: ["LatchkeyHousehold"]),
    .library(name: "LatchkeyRules", targets: ["LatchkeyModel", "LatchkeyRules"]),
    // The benchmarks compare its table of conformances with Swift's runtime.
    .library(name: "CStatic", targets: ["CStatic"]),
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
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
  ],
  targets: [
    // C libraries, each with only a module map and a shim.
    .systemLibrary(
      name: "CSodium", path: "Sources/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    // Avahi's pkg-config files carry a flag that the package manager refuses with a warning; the
    // headers need none.
    .systemLibrary(name: "CAvahi", path: "Sources/CAvahi", providers: [.apt(["libavahi-client-dev"])]),
    .systemLibrary(name: "CAvahiCore", path: "Sources/CAvahiCore", providers: [.apt(["libavahi-core-dev"])]),
    .systemLibrary(
      name: "CQREncode", path: "Sources/CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CProcess", path: "Sources/CProcess"),
    .systemLibrary(name: "CInput", path: "Sources/CInput"),
    .systemLibrary(name: "CTerminal", path: "Sources/CTerminal"),
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
    // Loaded, not linked, so that it costs only the programs that use it.
    .systemLibrary(name: "CSystemd", path: "Sources/CSystemd", providers: [.apt(["libsystemd-dev"])]),

    .target(name: "CTexts", path: "Sources/CTexts", exclude: ["de.po"]),
    // Linked into every program with LatchkeyModel, and imported by the benchmarks alone: it takes
    // the place of parts of Swift's static libraries and of the loader.
    .target(name: "CStatic", path: "Sources/CStatic"),
    .target(name: "LatchkeyModel", dependencies: ["CTexts", "CStatic"], path: "Sources/Model", swiftSettings: strict),
    .target(
      name: "LatchkeyRules", dependencies: ["LatchkeyModel"], path: "Sources/Rules",
      swiftSettings: strict),
    .target(
      name: "LatchkeyHousehold",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyProtocol",
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      path: "Sources/Household", swiftSettings: strict),
    .target(
      name: "LatchkeyProtocol",
      dependencies: ["LatchkeyModel", "CSodium", .product(name: "SwiftProtobuf", package: "swift-protobuf")],
      path: "Sources/Protocol", swiftSettings: strict),
    .target(
      name: "LatchkeyStore",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "CSQLite", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Sources/Store", swiftSettings: strict),
    .target(
      name: "LatchkeyDiscovery", dependencies: ["LatchkeyModel", "LatchkeySystem", "CAvahi", "CAvahiCore"],
      path: "Sources/Discovery", swiftSettings: strict),
    .target(
      name: "LatchkeyTransport",
      dependencies: ["LatchkeyModel", "LatchkeyProtocol"] + nio,
      path: "Sources/Transport", swiftSettings: strict),
    .target(
      name: "LatchkeyNode",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeyStore", "LatchkeySystem",
        "LatchkeyAgentProtocol", "LatchkeyDiscovery", "LatchkeyTransport", logging,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ] + nio,
      path: "Sources/Node", swiftSettings: strict),
    .target(
      name: "LatchkeySystem", dependencies: ["LatchkeyModel", "CProcess", "CSystemd", "CInput"],
      path: "Sources/System", swiftSettings: strict),
    .target(
      name: "LatchkeyAgentProtocol", dependencies: ["LatchkeyModel"], path: "Sources/AgentProtocol",
      swiftSettings: strict),
    .target(
      name: "LatchkeyAgentProgram",
      dependencies: ["LatchkeyModel", "LatchkeySystem", "LatchkeyAgentProtocol", "CSodium"],
      path: "Sources/AgentProgram", swiftSettings: strict),
    .executableTarget(
      name: "latchkey-agent", dependencies: ["LatchkeyAgentProgram"], path: "Sources/latchkey-agent",
      swiftSettings: strict),
    .target(
      name: "LatchkeyCommands",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyHousehold", "LatchkeySystem", "LatchkeyNode", "LatchkeyBridge",
        "LatchkeyWeb", "CTerminal", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Rainbow", package: "Rainbow"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + nio,
      path: "Sources/Commands", swiftSettings: compact),
    // What carries notices to phones and home automation, in a process of its own.
    .target(
      name: "LatchkeyBridge",
      dependencies: [
        "LatchkeyModel", "LatchkeyProtocol", "LatchkeyNode", "LatchkeySystem", logging,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + nio,
      path: "Sources/Bridge", swiftSettings: compact),
    // The family's pages, in a process of its own.
    .target(
      name: "LatchkeyWeb",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyHousehold", "LatchkeyProtocol", "LatchkeyNode", "LatchkeySystem",
        "CQREncode", logging,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdHTTP2", package: "hummingbird"),
        .product(name: "Mustache", package: "swift-mustache"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ] + nio,
      path: "Sources/Web", swiftSettings: compact),
    .executableTarget(
      name: "latchkey", dependencies: ["LatchkeyCommands"], path: "Sources/latchkey", swiftSettings: strict),
    .target(
      name: "LatchkeyTestSupport",
      dependencies: ["LatchkeyModel", "LatchkeyProtocol"],
      path: "Tests/Support", swiftSettings: strict),
    // Many nodes in one process, with simulated time and a simulated network: see Tests/Simulation.
    .target(
      name: "LatchkeySimulation",
      dependencies: ["LatchkeyModel", "LatchkeyRules", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeyTestSupport"],
      path: "Tests/Simulation/Engine", swiftSettings: strict),
    .executableTarget(
      name: "latchkey-simulate",
      dependencies: ["LatchkeySimulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Tests/Simulation/Program", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyModelTests",
      dependencies: ["LatchkeyModel", "LatchkeyRules", "LatchkeyHousehold", "LatchkeyTestSupport"],
      path: "Tests/Model",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeyRulesTests",
      dependencies: ["LatchkeyModel", "LatchkeyRules", "LatchkeyTestSupport"],
      path: "Tests/Rules", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyHouseholdTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeySimulation",
        "LatchkeyTestSupport",
      ],
      path: "Tests/Household", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyProtocolTests",
      dependencies: ["LatchkeyModel", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeyTestSupport"],
      path: "Tests/Protocol", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyStoreTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeyStore",
        "LatchkeyTestSupport", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/Store", swiftSettings: strict),
    // Runs the discovery back ends in processes and network namespaces that tests create.
    .executableTarget(
      name: "latchkey-discovery-probe", dependencies: ["LatchkeyDiscovery"], path: "Tests/DiscoveryProbe",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeySimulationTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeyStore", "LatchkeySimulation",
        "LatchkeyTestSupport",
      ],
      path: "Tests/Simulation/Tests", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyDiscoveryTests",
      dependencies: ["LatchkeyModel", "LatchkeySystem", "LatchkeyDiscovery", "CAvahi", "latchkey-discovery-probe"],
      path: "Tests/Discovery", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyTransportTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyProtocol", "LatchkeyTransport", "LatchkeyTestSupport",
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOTestUtils", package: "swift-nio"),
      ] + nio,
      path: "Tests/Transport", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyNodeTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeyStore", "LatchkeySystem",
        "LatchkeyAgentProtocol", "LatchkeyNode", "LatchkeyTestSupport", logging,
      ],
      path: "Tests/Node",
      swiftSettings: strict),
    .testTarget(
      name: "LatchkeySystemTests", dependencies: ["LatchkeyModel", "LatchkeySystem", "CSystemd", "CInput"],
      path: "Tests/System",
      swiftSettings: strict, linkerSettings: [.linkedLibrary("systemd")]),
    .testTarget(
      name: "LatchkeyAgentProtocolTests",
      dependencies: ["LatchkeyModel", "LatchkeyAgentProtocol", "LatchkeyTestSupport"],
      path: "Tests/AgentProtocol", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyAgentProgramTests",
      dependencies: [
        "LatchkeyModel", "LatchkeySystem", "LatchkeyAgentProtocol", "LatchkeyAgentProgram", "LatchkeyTestSupport",
      ],
      path: "Tests/AgentProgram", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyCommandsTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeyStore", "LatchkeySystem",
        "LatchkeyAgentProtocol",
        "LatchkeyNode", "LatchkeyBridge", "LatchkeyWeb", "LatchkeyCommands", "LatchkeyTestSupport", "CProcess",
      ],
      path: "Tests/Commands", exclude: ["Snapshots"], swiftSettings: strict),
    .testTarget(
      name: "LatchkeyBridgeTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyProtocol", "LatchkeyNode", "LatchkeySystem", "LatchkeyBridge", "LatchkeyTestSupport",
      ],
      path: "Tests/Bridge", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyWebTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyRules", "LatchkeyHousehold", "LatchkeyProtocol", "LatchkeyStore", "LatchkeyNode",
        "LatchkeySystem", "LatchkeyWeb", "LatchkeyTestSupport", logging,
      ],
      path: "Tests/Web", swiftSettings: strict),
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
      dependencies: ["LatchkeyModel", "LatchkeyHousehold", "LatchkeyNode"],
      path: "Tests/WaitingNode", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyProcessTests",
      dependencies: [
        "LatchkeyModel", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeySystem", "LatchkeyAgentProtocol",
        "LatchkeyDiscovery", "LatchkeyTransport", "LatchkeyNode", "LatchkeyBridge", "LatchkeyCommands",
        "LatchkeyTestSupport", "CProcess", "latchkey",
        "latchkey-discovery-probe", "latchkey-waiting-node", "latchkey-agent", "LatchkeyEventBridge",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/Process", swiftSettings: strict),
    // The targets of the fuzzers, in a library of its own, with which the tests replay the kept
    // inputs.
    .target(
      name: "LatchkeyFuzzTargets",
      dependencies: [
        "LatchkeyModel", "LatchkeyProtocol", "LatchkeyHousehold", "LatchkeySystem", "LatchkeyAgentProtocol",
        "LatchkeyDiscovery", "LatchkeyTransport", "LatchkeyNode", "LatchkeyTestSupport",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: strict),
    .testTarget(
      name: "LatchkeyFuzzTests", dependencies: ["LatchkeyFuzzTargets"], path: "Tests/Fuzz/Replay", swiftSettings: strict
    ),
  ] + fuzzer,
  swiftLanguageModes: [.v6]
)

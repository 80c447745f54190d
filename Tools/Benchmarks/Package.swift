// swift-tools-version: 6.2
import PackageDescription

/// The benchmarks: a separate package, so that running or testing Latchkey does not need it or its
/// dependencies.
let package = Package(
  name: "latchkey-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "latchkey", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
    .package(url: "https://github.com/ordo-one/TextTable.git", from: "0.0.2"),
  ],
  targets: [
    .executableTarget(
      name: "latchkey-bench",
      dependencies: [
        .product(name: "CStatic", package: "latchkey"),
        .product(name: "LatchkeyProtocol", package: "latchkey"),
        .product(name: "LatchkeyNode", package: "latchkey"),
        .product(name: "LatchkeyCommands", package: "latchkey"),
        .product(name: "LatchkeyHousehold", package: "latchkey"),
        .product(name: "LatchkeyRules", package: "latchkey"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "TextTable", package: "TextTable"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")])
  ],
  swiftLanguageModes: [.v6]
)

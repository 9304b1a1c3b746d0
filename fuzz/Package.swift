// swift-tools-version: 6.2
import PackageDescription

// A package of its own, built with libFuzzer and the address sanitizer. What it tries are the parent's
// sources, by links; of the daemon only what reads its configuration. `make fuzz` links the library
// with libFuzzer's own `main`.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "fuzz",
    products: [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: [
        .target(name: "TableHash", swiftSettings: settings),
        .target(name: "TableModel", dependencies: ["TableHash"], swiftSettings: settings),
        .target(
            name: "TableSync", dependencies: ["TableModel", "TableHash"], swiftSettings: settings),
        .target(
            name: "TableWire",
            dependencies: [
                "TableModel", "TableSync",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["Schema"], swiftSettings: settings),
        .target(
            name: "StrictYAML", dependencies: [.product(name: "Yams", package: "Yams")],
            swiftSettings: settings),
        .target(
            name: "TableFiles", dependencies: ["TableModel", "StrictYAML"], swiftSettings: settings),
        .target(
            name: "DaemonConfiguration",
            dependencies: [
                "StrictYAML", "TableModel", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "Fuzz",
            dependencies: [
                "TableModel", "TableSync", "TableWire", "TableFiles", "DaemonConfiguration",
            ],
            swiftSettings: settings),
    ]
)

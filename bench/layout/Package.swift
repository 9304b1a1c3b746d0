// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that it builds in a minute: the pure modules it measures, which are
// links into the parent's sources, and nothing else.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "bench-layout",
    targets: [
        .target(name: "TableHash", swiftSettings: settings),
        .target(name: "TableValues", dependencies: ["TableHash"], swiftSettings: settings),
        .target(
            name: "TableModel", dependencies: ["TableHash", "TableValues"],
            swiftSettings: settings),
        .target(
            name: "TableLayout", dependencies: ["TableModel"], swiftSettings: settings),
        .executableTarget(
            name: "bench-layout", dependencies: ["TableModel", "TableLayout"],
            swiftSettings: settings),
    ]
)

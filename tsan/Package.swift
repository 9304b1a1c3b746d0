// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that it builds in a minute: the sockets and their tests, which are links
// into the parent's sources, under the thread sanitizer. No other module has a second thread.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "tsan",
    targets: [
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        .target(name: "TableTransport", dependencies: ["CZeroMQ"], swiftSettings: settings),
        .testTarget(
            name: "TableTransportTests", dependencies: ["TableTransport", "CZeroMQ"],
            swiftSettings: settings),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

// Alone, and without the parent's code: it speaks the protocol from docs/PROTOCOL.md, so that what
// it measures is the daemon and not our own client.
let package = Package(
    name: "bench",
    targets: [
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        .executableTarget(
            name: "bench", dependencies: ["CZeroMQ"],
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
                // What measures must cost less than what is measured.
                .unsafeFlags(["-enforce-exclusivity=unchecked"]),
            ]),
    ]
)

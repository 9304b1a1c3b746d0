// swift-tools-version: 6.2
import PackageDescription

// A program outside of Trestle: one product is all that it needs.
let package = Package(
    name: "board-watcher",
    dependencies: [.package(name: "trestle", path: "../..")],
    targets: [
        .executableTarget(
            name: "board-watcher",
            dependencies: [.product(name: "TableClient", package: "trestle")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)

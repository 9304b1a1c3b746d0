// swift-tools-version: 6.2
import PackageDescription

// A package outside of Trestle, as an app's would be: the product is pure, and builds where Swift does.
let package = Package(
    name: "board-model",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "trestle", path: "../..")],
    targets: [
        .executableTarget(
            name: "board-model",
            dependencies: [.product(name: "TableViewer", package: "trestle")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)

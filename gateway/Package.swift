// swift-tools-version: 6.2
import PackageDescription

// The gateway for browsers is a package of its own: SwiftNIO takes minutes to build, and its threads
// run Swift, so it is built without `-assume-single-threaded` (docs/decisions/0026).
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Like the other programs (../Package.swift, docs/decisions/0030).
let packed: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
            "pack-relative-relocs", "-Xlinker", "--no-eh-frame-hdr", "-Xlinker", "-T", "-Xlinker",
            Context.packageDirectory + "/../Sources/programs.ld",
        ],
        .when(platforms: [.linux], configuration: .release))
]

let package = Package(
    name: "trestle-gateway",
    products: [.executable(name: "trestle-serve", targets: ["trestle-serve"])],
    dependencies: [
        .package(name: "trestle", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        .systemLibrary(name: "CEvents"),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .executableTarget(
            name: "trestle-serve",
            dependencies: [
                "CEvents", "CQREncode", "CZlib",
                .product(name: "TableGateway", package: "trestle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: settings, linkerSettings: packed),
    ]
)

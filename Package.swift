// swift-tools-version: 6.2
import PackageDescription

// The arrows between these targets are the architecture (docs/ARCHITECTURE.md): no pure target
// imports one that does I/O, and no target that does I/O below the daemon knows the model.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Generated code, and C's headers, are not held to our warnings.
let lenient: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Nothing loads the programs as libraries, nothing throws through them, and relocations can be packed:
// without exported symbols and unwind tables they are 6 MB smaller, and start sooner (docs/decisions/0030).
let packed: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
            "pack-relative-relocs", "-Xlinker", "--no-eh-frame-hdr", "-Xlinker", "-T", "-Xlinker",
            Context.packageDirectory + "/Sources/programs.ld",
        ],
        .when(platforms: [.linux], configuration: .release))
]

/// For what is much code and little time: commands, files of configuration, what a terminal shows.
let small: [SwiftSetting] = [
    .unsafeFlags(["-Osize"], .when(platforms: [.linux], configuration: .release))
]

func pure(
    _ name: String, _ dependencies: [Target.Dependency] = [], _ more: [SwiftSetting] = [],
    exclude: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings + more)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "trestle",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // Each with the modules of the types that it shows: a program depends on one product.
        .library(
            name: "TableClient",
            targets: ["TableClient", "TableModel", "TableSync", "TableValues", "TableWire"]),
        .library(
            name: "TableClientAsync",
            targets: ["TableClientAsync", "TableClient", "TableModel", "TableSync", "TableValues", "TableWire"]),
        .library(name: "TableLayout", targets: ["TableLayout", "TableModel", "TableValues"]),
        // Pure: what a viewer of one's own needs that brings its own connection, such as an app.
        .library(
            name: "TableViewer",
            targets: ["TableLayout", "TableModel", "TablePredicate", "TableSync", "TableValues", "TableWire"]),
        // What the gateway for browsers (gateway/) builds on.
        .library(
            name: "TableGateway",
            targets: ["GatewayCore", "TableModel", "TableSync", "TableTransport", "TableValues"]),
        .executable(name: "trestle", targets: ["trestle"]),
        .executable(name: "trestled", targets: ["trestled"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // Without its traits, since one imports all of Foundation, of which lld then links 34 MB of ICU's data.
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    ],
    targets: [
        // Pure: no clock, no randomness, no input or output.
        pure("TableHash"),
        // The model: each of these imports only those above it.
        pure("TableValues", ["TableHash"]),
        pure("TableModel", ["TableHash", "TableValues"]),
        pure("TableDecisions", ["TableModel", "TablePredicate"]),
        pure("TableLayout", ["TableModel"]),
        pure("TablePredicate", ["TableModel"], small),
        pure("TablePictures", ["TableModel", "TableLayout", "TablePredicate"], small),
        pure("TableSync", ["TableDecisions", "TableModel", "TablePredicate"]),
        // The bytes of the journal's files.
        pure("JournalFormat", ["TableHash"]),
        // What a turn needs of a journal, and knows of it.
        pure("JournalPort"),
        pure("TableTerminal", ["TableModel", "TableLayout", "TablePredicate", "TableSync"], small),
        pure("TableWire", ["TableHash", "TableModel", "TableSync"], exclude: ["Schema"]),

        // The order in which a command becomes true, over four ports.
        pure("TableTurn", ["JournalPort", "TableModel", "TableSync", "TableWire"]),

        // Input and output: bytes in, bytes out.
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        // Reads along with what libzmq receives (docs/decisions/0022).
        .target(name: "CPeerGuard"),
        // The work of journals in C: the heap while one is read, syncs in a thread of their own, and gRPC over
        // libcurl, which is loaded when it is needed (docs/decisions/0040).
        .target(name: "CJournals"),
        .target(
            name: "TableJournal", dependencies: ["CJournals", "JournalFormat", "JournalPort"],
            swiftSettings: settings),
        .target(
            name: "EtcdJournal", dependencies: ["CJournals", "JournalFormat", "JournalPort"],
            swiftSettings: settings),
        .target(name: "TableTransport", dependencies: ["CZeroMQ"], swiftSettings: settings),

        // Files that people write.
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .target(
            name: "StrictYAML", dependencies: ["CYAML", "TableValues"],
            swiftSettings: settings + small),
        .target(
            name: "TableFiles", dependencies: ["TableModel", "StrictYAML"],
            swiftSettings: settings + small),

        // Where the two meet.
        .target(
            name: "TableDaemon",
            dependencies: [
                "CPeerGuard", "CZeroMQ", "EtcdJournal", "JournalPort", "StrictYAML", "TableHash", "TableModel",
                "TableSync", "TableTurn", "TableWire", "TableJournal", "TableTransport", logging,
            ],
            swiftSettings: settings),
        .target(
            name: "TableClient",
            dependencies: [
                "TableDecisions", "TableModel", "TableSync", "TableWire", "TableTransport",
            ],
            swiftSettings: settings),

        // A target of its own: the programs do not carry what runs tasks.
        .target(name: "TableClientAsync", dependencies: ["TableClient"], swiftSettings: settings),

        // What the gateway for browsers decides. What does it is a package of its own (gateway/).
        pure("GatewayCore", ["TableModel", "TableSync", "TableWire"]),

        .executableTarget(
            name: "trestled",
            dependencies: ["TableDaemon", "TableTransport", arguments, logging],
            swiftSettings: settings, linkerSettings: packed),
        .executableTarget(
            name: "trestle",
            dependencies: [
                "StrictYAML", "TableDecisions", "TableModel", "TableLayout",
                "TablePictures", "TableTerminal",
                "TableSync", "TableWire", "TableFiles", "TablePredicate", "TableTransport",
                "TableClient", arguments,
            ],
            swiftSettings: settings + small, linkerSettings: packed),

        // The examples. Each is a package of its own for its readers; here they share the modules of the tests' build.
        .executableTarget(
            name: "board-watcher", dependencies: ["TableClient", "TableModel", "TableSync", "TableWire"],
            path: "examples/board-watcher/Sources/board-watcher", swiftSettings: settings),
        .executableTarget(
            name: "board-model", dependencies: ["TableLayout", "TableModel", "TableSync", "TableWire"],
            path: "examples/board-model/Sources/board-model", swiftSettings: settings),

        // Random numbers of the tests.
        .target(name: "SeededNumbers", path: "Tests/SeededNumbers", swiftSettings: settings),
        tests("TableHashTests", ["TableHash"]),
        .testTarget(
            name: "TableModelTests",
            dependencies: [
                "SeededNumbers", "TableDecisions", "TableHash", "TableModel",
                "TableValues",
            ],
            exclude: ["Scenarios"], swiftSettings: settings),
        .testTarget(
            name: "TableLayoutTests",
            dependencies: ["SeededNumbers", "TableDecisions", "TableLayout", "TableModel"],
            exclude: ["Vectors", "generate_widths.py"], swiftSettings: settings),
        .testTarget(
            name: "TablePicturesTests",
            dependencies: [
                "TableDecisions", "TablePictures", "TableLayout", "TableModel", "TableFiles",
            ],
            exclude: ["Golden"], swiftSettings: settings),
        .testTarget(
            name: "TablePredicateTests",
            dependencies: ["SeededNumbers", "TableDecisions", "TablePredicate", "TableModel"],
            exclude: ["Vectors"], swiftSettings: settings),
        .testTarget(
            name: "TableTerminalTests",
            dependencies: [
                "SeededNumbers", "TableDecisions", "TableTerminal", "TableLayout", "TableModel",
                "TableFiles", "TablePredicate",
            ],
            exclude: ["Golden"], swiftSettings: settings),
        tests(
            "TableSyncTests",
            [
                "SeededNumbers", "TableDecisions", "TableSync", "TableModel", "TableHash",
                "Simulation",
            ]),
        // The library is the oracle of the wire's tests, and linked into no program.
        tests(
            "TableWireTests",
            [
                "TableWire", "TableDecisions", "TableModel", "TableSync", "TableHash",
                "TableValues", protobuf,
            ]),
        tests(
            "TableFilesTests",
            [
                "SeededNumbers", "TableDecisions", "TableFiles", "StrictYAML", "TableModel", "TableDaemon",
                "TableSync", "TableTransport", "TableWire",
            ]),
        tests(
            "TableJournalTests",
            ["TableJournal", "JournalFormat", "JournalPort", "TableHash"]),
        tests(
            "EtcdJournalTests",
            ["EtcdJournal", "JournalFormat", "JournalPort", "ServiceSimulation"]),
        tests(
            "TableTurnTests", ["TableTurn", "JournalPort", "TableModel", "TableSync", "TableWire"]),
        tests("TableTransportTests", ["TableTransport", "CZeroMQ"]),
        tests(
            "TableClientTests",
            ["TableClient", "TableClientAsync", "TableModel", "TableSync", "TableTransport", "TableWire"]),
        tests("PeerGuardTests", ["CPeerGuard"]),
        tests("GatewayCoreTests", ["GatewayCore", "TableModel", "TableSync"]),
        tests("TidyTests", []),

        // Both ends in one run, under faults: `make simulate`, and a short form in the tests.
        .target(
            name: "Simulation",
            dependencies: [
                "JournalPort", "SeededNumbers", "TableDecisions", "TableHash", "TableModel",
                "TableSync", "TableTurn",
                "TableWire", "TableClient",
            ],
            path: "Tests/Simulation", swiftSettings: settings),
        // Several daemons over a modelled etcd, likewise.
        .target(
            name: "ServiceSimulation", dependencies: ["EtcdJournal", "JournalPort"],
            path: "Tests/ServiceSimulation", swiftSettings: settings),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation", "ServiceSimulation"], path: "Tests/Simulate",
            swiftSettings: settings),
        // The wire's tests against protobuf's library, at length: `make oracle`.
        .executableTarget(
            name: "oracle", dependencies: ["TableModel", "TableSync", "TableWire", protobuf],
            path: "Tests/Oracle", swiftSettings: settings),
        // The daemon with a journal that answers late, for measurements and tests.
        .executableTarget(
            name: "late-trestled",
            dependencies: ["CZeroMQ", "JournalPort", "TableDaemon", "TableJournal", logging],
            path: "Tests/LateDaemon", swiftSettings: settings),
        tests(
            "SimulationTests",
            [
                "Simulation", "simulate",
            ]),
    ]
)

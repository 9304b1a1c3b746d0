// swift-tools-version: 6.2
import PackageDescription

// A package of its own, built with libFuzzer and the address sanitizer. What it tries are the parent's
// sources, by links; of the daemon only what reads its configuration. `make fuzz` links the library
// with libFuzzer's own `main`.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
]
// libFuzzer looks through all counters after each execution, so that only what is tried has them; the
// address sanitizer is for everything (Makefile). A debug build is for `make coverage`.
let counted: [SwiftSetting] =
    settings + [
        .unsafeFlags(
            ["-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"],
            .when(configuration: .release))
    ]

let package = Package(
    name: "fuzz",
    products: [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .target(name: "TableHash", swiftSettings: settings),
        .target(name: "JournalFormat", dependencies: ["TableHash"], swiftSettings: counted),
        .target(name: "TableValues", dependencies: ["TableHash"], swiftSettings: counted),
        .target(
            name: "TableModel", dependencies: ["TableHash", "TableValues"],
            swiftSettings: counted),
        .target(name: "TableDecisions", dependencies: ["TableModel"], swiftSettings: counted),
        .target(
            name: "TableSync", dependencies: ["TableDecisions", "TableModel", "TableHash"],
            swiftSettings: counted),
        .target(
            name: "TablePredicate", dependencies: ["TableModel"], swiftSettings: counted),
        .target(
            name: "TableWire", dependencies: ["TableModel", "TableSync"], exclude: ["Schema"],
            swiftSettings: counted),
        .systemLibrary(name: "CYAML"),
        .target(name: "StrictYAML", dependencies: ["CYAML", "TableValues"], swiftSettings: counted),
        .target(
            name: "TableFiles", dependencies: ["TableModel", "StrictYAML"], swiftSettings: counted),
        .target(name: "JournalPort", swiftSettings: settings),
        .target(name: "CJournals"),
        .target(
            name: "EtcdJournal", dependencies: ["CJournals", "JournalFormat", "JournalPort"],
            swiftSettings: settings),
        .target(
            name: "DaemonConfiguration",
            dependencies: [
                "EtcdJournal", "StrictYAML", "TableModel", "TableSync",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: counted),
        .target(
            name: "Fuzz",
            dependencies: [
                "JournalFormat", "TableDecisions", "TableModel", "TableSync", "TableWire",
                "TableFiles",
                "TablePredicate", "DaemonConfiguration",
            ],
            swiftSettings: counted),
    ]
)

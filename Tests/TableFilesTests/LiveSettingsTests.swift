import StrictYAML
import Testing

@testable import TableDaemon

/// The one owner of what is in force.
@Suite struct LiveSettingsTests {
    /// Every key that holds a value, as the reader of the file knows it.
    static var names: Set<String> {
        var names: Set<String> = []
        for key in Configuration.Key.allCases {
            let inner: [String]
            switch key {
            case .endpoints, .stateDirectory, .ipcMode, .heartbeatMs, .highWaterMark, .connections,
                .guests, .journal:
                names.insert(key.rawValue)
                continue
            case .log: inner = Configuration.LogKey.allCases.map(\.rawValue)
            case .retain: inner = Configuration.RetainKey.allCases.map(\.rawValue)
            case .checkpoint: inner = Configuration.CheckpointKey.allCases.map(\.rawValue)
            case .disk: inner = Configuration.DiskKey.allCases.map(\.rawValue)
            case .limits: inner = Configuration.LimitKey.allCases.map(\.rawValue)
            }
            for name in inner { names.insert("\(key.rawValue).\(name)") }
        }
        return names
    }

    @Test func everyKeyHasASetting() {
        #expect(Set(Setting.all.map(\.name)) == Self.names)
        #expect(Setting.all.count == Self.names.count, "one stands twice")
    }

    /// Another value than the default, for every key.
    static let other = """
        endpoints: [{request: "ipc:///a", publish: "ipc:///b"}]
        state_directory: /x
        ipc_mode: "0600"
        log: {level: debug, slow_ms: 9}
        heartbeat_ms: 200
        high_water_mark: 7
        connections: 20
        retain: {diffs: 1, bytes: 2, days: 2, seconds: 3, total_bytes: 4}
        checkpoint: {after_bytes: 65536}
        disk: {reserve_bytes: 5}
        guests: [{anybody: true, roles: [viewer]}]
        journal: {etcd: {endpoints: ["http://a:1"], name: x}}
        limits: {rows: 3, tables: 4, sessions: 8, replies: 10}
        """

    @Test func whatCanChangeDoes() throws {
        let before = Configuration()
        let fresh = try Configuration.parse(Self.other, name: "f")
        var settings = LiveSettings(before)
        let report = settings.take(fresh)
        #expect(report.unchanged.isEmpty && report.failed.isEmpty)
        let restart = ["endpoints", "state_directory", "journal", "high_water_mark"]
        #expect(report.waiting.map(\.name) == restart)
        #expect(Set(report.applied.map(\.name)) == Self.names.subtracting(restart))
        var expected = fresh
        expected.endpoints = before.endpoints
        expected.stateDirectory = before.stateDirectory
        expected.journal = before.journal
        expected.highWaterMark = before.highWaterMark
        #expect(settings.inForce == expected)
        #expect(
            report.applied.first { $0.name == "ipc_mode" }
                == .init(name: "ipc_mode", before: "0660", after: "0600"))
        #expect(
            report.waiting.last == .init(name: "high_water_mark", before: "256", after: "7"))
        // It waits as long as the file says something else; and back again.
        #expect(settings.take(fresh).waiting.map(\.name) == restart)
        #expect(settings.take(fresh).applied.isEmpty)
        #expect(settings.take(before).waiting.isEmpty)
        #expect(settings.inForce == before)
    }

    @Test func whatTheSystemRefusesStays() throws {
        var settings = LiveSettings(Configuration())
        let fresh = try Configuration.parse("{ipc_mode: '0600', heartbeat_ms: 200}", name: "f")
        let report = settings.take(fresh, except: ["ipc_mode"])
        #expect(report.failed == [.init(name: "ipc_mode", before: "0660", after: "0600")])
        #expect(settings.inForce.ipcMode == 0o660 && settings.inForce.heartbeatMs == 200)
    }
}

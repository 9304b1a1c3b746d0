import Foundation
import StrictYAML
import TableFiles
import TableModel
import Testing

@testable import TableDaemon

/// The repository: this file is Tests/TableFilesTests/ConfigurationTests.swift.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

func file(_ path: String) throws -> String {
    try String(contentsOf: repository.appending(path: path), encoding: .utf8)
}

extension Configuration {
    /// The value of a file without faults; throws the first fault.
    static func parse(
        _ text: String, name: String, over defaults: Configuration = Configuration()
    ) throws(Fault) -> Configuration {
        let (configuration, faults) = check(text, name: name, over: defaults)
        if let first = faults.first { throw first }
        return configuration
    }
}

func configurationFault(_ text: String) -> String {
    do {
        _ = try Configuration.parse(text, name: "trestled.yaml")
        return "none"
    } catch {
        return error.description
    }
}

@Suite struct ConfigurationTests {
    @Test func theShippedFileIsTheDefaults() throws {
        let text = try file("config/trestled.yaml")
        #expect(try Configuration.parse(text, name: "trestled.yaml") == Configuration())
        // With the commented keys switched on as well.
        let end = text.firstRange(of: "# Who may do what.")?.lowerBound ?? text.endIndex
        let all = String(text[..<end]).replacing("# endpoints:", with: "endpoints:")
            .replacing("#   - ", with: "  - ").replacing("#     publish", with: "    publish")
            .replacing("# state_directory", with: "state_directory")
        let on = try Configuration.parse(all, name: "trestled.yaml")
        #expect(on.endpoints.count == 2)
        #expect(on.stateDirectory == "/var/lib/trestle")
        let list = String(text[end...]).replacing("# guests:", with: "guests:")
            .replacing("#   - ", with: "  - ").replacing("#     ", with: "    ")
        let guests = try Configuration.parse(list, name: "trestled.yaml").guests
        let roles = guests?.lines.map(\.roles)
        #expect(roles == [[.admin], [.operator], [.operator, .handler], [.viewer]])
        #expect(
            guests?.lines.map { $0.tables.map(\.text) } == [
                ["*"], ["*"], ["board", "kitchen*"], ["board"],
            ])
    }

    /// A key that is missing from the shipped file would be one that nobody finds.
    @Test func theShippedFileMentionsEveryKey() throws {
        let text = try file("config/trestled.yaml")
        let keys =
            LiveSettingsTests.names.flatMap { $0.split(separator: ".").map(String.init) }
            + Configuration.EtcdKey.allCases.map(\.rawValue)
            + Configuration.EndpointsKey.allCases.map(\.rawValue)
        for key in keys {
            let lines = text.split(separator: "\n").map { $0.drop { " #-".contains($0) } }
            #expect(lines.contains { $0.hasPrefix("\(key):") }, "\(key)")
        }
    }

    /// A person who changes a key must know whether SIGHUP is enough. A block of the file says it of all its
    /// keys.
    @Test func theShippedFileSaysWhenAChangeTakesEffect() throws {
        let text = try file("config/trestled.yaml")
        var found: Set<String> = []
        for block in text.split(separator: "\n\n") {
            let words = block.split { " \n#".contains($0) }.joined(separator: " ")
            let says: [Setting.Moment: Bool] = [
                .atSIGHUP: words.contains("Takes effect at SIGHUP"),
                .atRestart: words.contains("Takes effect at a restart"),
            ]
            let keys = block.split(separator: "\n").compactMap { line in
                line.drop { " #-".contains($0) }.split(separator: ":").first.map(String.init)
            }
            for setting in Setting.all {
                let path = setting.name.split(separator: ".").map(String.init)
                guard path.allSatisfy(keys.contains) else { continue }
                found.insert(setting.name)
                for (moment, isSaid) in says {
                    #expect(isSaid == (moment == setting.takesEffect), "\(setting.name)")
                }
            }
        }
        #expect(found == Set(Setting.all.map(\.name)))
    }

    @Test func everyValue() throws {
        let text = """
            endpoints: [{request: "ipc:///a b/r", publish: "tcp://[::1]:1"}]
            state_directory: /x
            ipc_mode: 0600
            log: {level: trace, slow_ms: 250}
            heartbeat_ms: 100
            high_water_mark: 1
            retain: {diffs: 0}
            checkpoint: {after_bytes: 65536}
            disk: {reserve_bytes: 0}
            limits: {rows: 7, replies: 1}
            """
        var expected = Configuration()
        expected.endpoints = [.init(request: "ipc:///a b/r", publish: "tcp://[::1]:1")]
        expected.stateDirectory = "/x"
        expected.ipcMode = 0o600
        expected.logLevel = .trace
        expected.slowMs = 250
        expected.heartbeatMs = 100
        expected.highWaterMark = 1
        expected.retention.diffs = 0
        expected.checkpointAfterBytes = 65_536
        expected.diskReserveBytes = 0
        expected.limits.rows = 7
        expected.limits.replies = 1
        #expect(try Configuration.parse(text, name: "f") == expected)
        #expect(try Configuration.parse("limits:\nretain: {}", name: "f") == Configuration())
        #expect(try Configuration.parse("# nothing\n", name: "f") == Configuration())
        #expect(try Configuration.parse("", name: "f") == Configuration())
    }

    @Test(arguments: [
        (
            "heartbeat_ms: 200\n\0limits: {rows: 5}",
            "trestled.yaml:2: a NUL byte, which no text has"
        ),
        ("\0\0\0\0", "trestled.yaml:1: a NUL byte, which no text has"),
        ("\n  limts: {}", "trestled.yaml:2:3: unknown key `limts` (did you mean `limits`?)"),
        (
            "log: {levle: info}",
            "trestled.yaml:1:7: log: unknown key `levle` (did you mean `level`?)"
        ),
        (
            "retain:\n  diff: 1",
            "trestled.yaml:2:3: retain: unknown key `diff` (did you mean `diffs`?)"
        ),
        (
            "endpoints: [{reqest: x}]",
            "trestled.yaml:1:14: endpoints[0]: unknown key `reqest` (did you mean `request`?)"
        ),
        (
            "endpoints: [{request: 'ipc:///a'}]",
            "trestled.yaml:1:13: endpoints[0]: `publish` is missing"
        ),
        (
            "endpoints: []",
            "trestled.yaml:1:12: endpoints: expected 1 to 16 pairs of endpoints, found 0"
        ),
        (
            "endpoints: [{request: 'ipc:///a', publish: 'ipc:///a'}]",
            "trestled.yaml:1:44: endpoints[0].publish: `ipc:///a` stands twice"
        ),
        (
            "log: {level: loud}",
            "trestled.yaml:1:14: log.level: expected trace, debug, info, notice, warning, error "
                + "or critical, found `loud`"
        ),
        (
            "heartbeat_ms: 99",
            "trestled.yaml:1:15: heartbeat_ms: expected a whole number from 100 to 60000, "
                + "found `99`"
        ),
        (
            "high_water_mark: 1_000",
            "trestled.yaml:1:18: high_water_mark: expected a whole number from 1 to 100000, "
                + "found `1_000`"
        ),
        (
            "limits: {tables: 0x400}",
            "trestled.yaml:1:18: limits.tables: expected a whole number from 1 to 65536, "
                + "found `0x400`"
        ),
        (
            "ipc_mode: \"0999\"",
            "trestled.yaml:1:11: ipc_mode: expected octal permissions from \"0600\" to "
                + "\"0777\", found the text `0999`"
        ),
        (
            "ipc_mode: 0060",
            "trestled.yaml:1:11: ipc_mode: expected octal permissions from \"0600\" to "
                + "\"0777\", found `0060`"
        ),
        ("guests: {users: [a]}", "trestled.yaml:1:9: guests: expected a list, found a mapping"),
        (
            "guests:\n  - users: [ada]\n    roles: [viewer]\n  - user: [bo]\n    roles: [viewer]",
            "trestled.yaml:4:5: guests[1]: unknown key `user` (did you mean `users`?)"
        ),
        (
            "guests: [{users: [a], roles: [cook]}]",
            "trestled.yaml:1:31: guests[0].roles[0]: expected viewer, operator, handler, editor "
                + "or admin, found `cook`"
        ),
        (
            "guests: [{users: [a]}]",
            "trestled.yaml:1:10: guests[0]: a guest needs `roles`: viewer, operator, handler, "
                + "editor or admin"
        ),
        (
            "guests: [{roles: [viewer]}]",
            "trestled.yaml:1:10: guests[0]: a guest needs `users`, `groups`, `keys` or "
                + "`anybody: true`"
        ),
        (
            "guests: [{users: [], roles: [viewer]}]",
            "trestled.yaml:1:18: guests[0].users: expected 1 to 1000 names, found 0"
        ),
        (
            "guests: [{users: [a, a], roles: [viewer]}]",
            "trestled.yaml:1:22: guests[0].users[1]: `a` stands twice"
        ),
        (
            "guests:\n  - users: [a]\n    tables:\n    roles: [admin]",
            "trestled.yaml:2:5: guests[0]: `tables` has nothing behind it"
        ),
        (
            "guests: [{users: [a], roles: [viewer, viewer]}]",
            "trestled.yaml:1:30: guests[0].roles: a role stands twice"
        ),
        (
            "guests: [{keys: ['key:anna'], roles: [viewer]}]",
            "trestled.yaml:1:18: guests[0].keys[0]: nothing can be named `key:anna`"
        ),
        (
            "guests: [{users: [a], tables: ['a/b'], roles: [viewer]}]",
            "trestled.yaml:1:32: guests[0].tables[0]: nothing can be named `a/b`"
        ),
        (
            "guests: [{groups: ['*'], roles: [viewer]}]",
            "trestled.yaml:1:19: guests[0].groups: `*` is for users and keys, not for groups"
        ),
        ("journal: {etcd: }", "trestled.yaml:1:17: journal.etcd: `endpoints` is missing"),
        ("journal: {etcd: {}}", "trestled.yaml:1:17: journal.etcd: `endpoints` is missing"),
        (
            "journal: {follow: {endpoint: 'tcp://10.0.0.1:7571'}}",
            "trestled.yaml:1:30: journal.follow.endpoint: beyond this machine the other daemon's `key` is needed"
        ),
        ("journal: {follow: }", "trestled.yaml:1:19: journal.follow: `endpoint` is missing"),
        ("journal: ~", "trestled.yaml:1:10: journal: `etcd` is missing"),
        ("journal: {}", "trestled.yaml:1:10: journal: `etcd` is missing"),
        (
            "journal: {etdc: }",
            "trestled.yaml:1:11: journal: unknown key `etdc` (did you mean `etcd`?)"
        ),
        (
            "state_directory: here",
            "trestled.yaml:1:18: state_directory: expected an absolute path, found `here`"
        ),
    ])
    func faults(_ text: String, _ said: String) {
        #expect(configurationFault(text) == said)
    }

    /// Somebody mends a file once, not once for each fault.
    @Test func allFaultsAreFound() {
        let text = """
            heartbeat_ms: 1
            log: {levle: info, level: loud}
            limts: {}
            retain:
              diffs: many
              byte: 3
            limits: {rows: 0, nothing: 1, tables: 7}
            endpoints:
              - {reqest: x, publish: 'ipc:///a'}
              - {request: 'ipc:///b', publish: 'tcp://10.0.0.1:1'}
              - 7
            ipc_mode: 0060
            state_directory: here
            """
        let (found, faults) = Configuration.check(text, name: "f")
        let places = faults.map { "\($0.line):\($0.path)" }
        #expect(
            places == [
                "1:heartbeat_ms", "2:log", "2:log.level", "3:", "5:retain.diffs", "6:retain",
                "7:limits.rows", "7:limits", "9:endpoints[0]", "10:endpoints[1].publish",
                "11:endpoints[2]", "12:ipc_mode", "13:state_directory",
            ])
        // Valid keys are read, and faulty ones keep their values.
        #expect(found.limits.tables == 7)
        #expect(found.heartbeatMs == Configuration().heartbeatMs)
        #expect(found.endpoints.isEmpty)
        #expect(Configuration.check("a: [", name: "f").faults.count == 1)
    }

    @Test func aDaemonFollowsAnother() {
        let key = String(repeating: "0", count: 40)
        for (endpoint, more) in [
            ("ipc:///run/a.sock", ""), ("tcp://127.0.0.1:7", ""),
            ("tcp://first:7", ", key: '\(key)'"),
        ] {
            let text = "journal: {follow: {endpoint: '\(endpoint)'\(more)}}"
            let (found, faults) = Configuration.check(text, name: "f")
            #expect(faults.isEmpty && found.follow?.endpoint == endpoint, "\(faults)")
        }
        for text in [
            "{follow: {endpoint: 'tcp://127.0.0.1:7'}, etcd: {endpoints: ['http://a:1'], name: x}}",
            "{follow: {endpoint: nowhere}}", "{follow: {endpoint: 'ipc://here'}}",
            "{follow: {endpoint: 'tcp://first:7', key: short}}", "{follow: {}}",
            "{follow: {endpoint: 'ipc:///a', advertise: []}}",
        ] {
            #expect(!Configuration.check("journal: \(text)", name: "f").faults.isEmpty, "\(text)")
        }
    }

    /// Somebody comments the lines out behind a key, and keeps the key.
    @Test func aJournalWithItsLinesCommentedOutIsNone() {
        for text in [
            "journal:\n#  etcd:\n", "journal:\n  etcd:\n#    name: x\nheartbeat_ms: 200\n",
        ] {
            let (found, faults) = Configuration.check(text, name: "f")
            #expect(faults.count == 1 && found.etcd == nil)
            #expect(faults.first?.message.hasSuffix("is missing") == true, "\(faults)")
        }
        #expect(Configuration.check("# journal:\n#   etcd:\n", name: "f").faults.isEmpty)
    }

    @Test func endpoints() {
        let path = "ipc:///" + String(repeating: "x", count: 106)
        for good in [
            path, "tcp://127.0.0.1:5555", "tcp://127.255.0.9:1", "tcp://localhost:65535",
            "tcp://[::1]:80",
        ] {
            #expect(Configuration.fault(inEndpoint: good) == nil, "\(good)")
        }
        for remote in [
            "tcp://0.0.0.0:1", "tcp://*:1", "tcp://10.0.0.1:1", "tcp://128.0.0.1:1", "tcp://lo:1",
            "tcp://127.0.0.1.evil.org:1", "tcp://127.0.0.256:1", "tcp://0127.0.0.1:1",
            "tcp://[::]:1", "tcp://:1", "tcp://10.0.0.1;127.0.0.1:1", "tcp://LOCALHOST.:1",
        ] {
            let fault = Configuration.fault(inEndpoint: remote)
            #expect(fault?.hasSuffix("see docs/REMOTE.md") == true, "\(remote)")
        }
        for bad in [
            path + "x", "ipc://@abstract", "ipc://relative", "ipc:///dir/", "ipc://", "ipc://*",
            "ipc:///a\nb", "tcp://127.0.0.1", "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536",
            "tcp://127.0.0.1:*", "tcp://127.0.0.1:+5", "inproc://a", "udp://127.0.0.1:1", "",
        ] {
            #expect(Configuration.fault(inEndpoint: bad) != nil, "\(bad)")
        }
    }

    @Test func defaults() {
        func places(_ environment: [String: String], _ user: UInt32) -> [String?] {
            let found = Configuration.defaults(environment: environment, userID: user)
            return [found.endpoints.first?.request, found.stateDirectory]
        }
        #expect(places([:], 0) == ["ipc:///run/trestle/request.sock", "/var/lib/trestle"])
        #expect(
            places(["RUNTIME_DIRECTORY": "/run/a:/run/b", "STATE_DIRECTORY": "/s/"], 998)
                == ["ipc:///run/a/request.sock", "/s"])
        #expect(
            places(["XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/h"], 7)
                == ["ipc:///run/user/7/trestle/request.sock", "/h/.local/state/trestle"])
        #expect(
            places(["XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "/s", "HOME": "/h"], 7)
                == ["ipc:///tmp/trestle-7/request.sock", "/s/trestle"])
        #expect(places([:], 7) == ["ipc:///tmp/trestle-7/request.sock", "/tmp/trestle-7/state"])
    }

    @Test func whatMayBeLostGoesWithTheState() {
        func places(_ environment: [String: String], _ user: UInt32, _ state: String) -> [String] {
            Configuration.cacheDirectories(
                environment: environment, userID: user, stateDirectory: state)
        }
        let systemd = [
            "CACHE_DIRECTORY": "/c/:/d", "RUNTIME_DIRECTORY": "/r", "STATE_DIRECTORY": "/s",
            "HOME": "/h",
        ]
        #expect(places(systemd, 998, "/s") == ["/c", "/r"])
        #expect(places(systemd, 998, "/elsewhere") == ["/c", "/r"])
        // Of a unit without a cache directory, whose user is at home in the state directory.
        let older = ["RUNTIME_DIRECTORY": "/r", "STATE_DIRECTORY": "/s", "HOME": "/s"]
        #expect(places(older, 998, "/s") == ["/r"])
        #expect(places([:], 0, "/var/lib/trestle") == ["/var/cache/trestle"])
        #expect(places(["HOME": "/root"], 0, "/elsewhere") == [])
        let user = ["HOME": "/h"]
        #expect(places(user, 7, "/h/.local/state/trestle") == ["/h/.cache/trestle"])
        #expect(places(user, 7, "/elsewhere") == [])
        let own = ["HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/c"]
        #expect(places(own, 7, "/s/trestle") == ["/c/trestle"])
        #expect(places(["XDG_CACHE_HOME": "relative"], 7, "/tmp/trestle-7/state") == [])
    }

    @Test func aFileStandsOverTheDefaults() throws {
        let base = Configuration.defaults(environment: [:], userID: 0)
        let found = try Configuration.parse("heartbeat_ms: 200", name: "f", over: base)
        #expect(found.endpoints == base.endpoints && found.heartbeatMs == 200)
    }
}

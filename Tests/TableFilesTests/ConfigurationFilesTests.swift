import Foundation
import Testing

@testable import TableDaemon

@Suite struct ConfigurationFilesTests {
    /// Each is read over those before it, and a fault names its file.
    @Test func severalFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "trestle-\(UInt64.random(in: 0 ... .max))")
        let parts = folder.appending(path: "a.d")
        try FileManager.default.createDirectory(at: parts, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ text: String, _ name: String) throws {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let file = folder.appending(path: "a.yaml").path
        try write(
            "heartbeat_ms: 200\nlog: {level: debug}\nretain: {diffs: 7, seconds: 9}\n", "a.yaml")
        try write("heartbeat_ms: 300\nretain: {diffs: 8}\n", "a.d/10-site.yaml")
        try write("heartbeat_ms: 400\n", "a.d/20-more.yaml")
        try write("heartbeat_ms: 500\n", "a.d/.hidden.yaml")
        try write("heartbeat_ms: 600\n", "a.d/30-more.yaml.dpkg-old")
        let read = try Configuration.read(file: file, stateDirectory: "/x", endpoints: [])
        #expect(read.heartbeatMs == 400 && read.logLevel == .debug)
        #expect(read.retention.diffs == 8 && read.retention.seconds == 9)
        let settings = try EffectiveSettings(
            file: file, stateDirectory: "/x", endpoints: [])
        let lines = settings.text.split(separator: "\n").map { $0.split(separator: " ") }
        func source(_ name: String) -> Substring? { lines.first { $0[0] == name }?.last }
        #expect(source("heartbeat_ms")?.hasSuffix("/20-more.yaml:1") == true)
        #expect(source("retain.diffs")?.hasSuffix("/10-site.yaml:2") == true)
        #expect(source("retain.seconds")?.hasSuffix("/a.yaml:3") == true)
        #expect(source("state_directory") == "--state-directory")
        #expect(source("connections") == "default" && source("endpoints") == "default")
        #expect(lines.count == Setting.all.count)
        let json = try JSONDecoder().decode(
            [String: [[String: String]]].self, from: Data(settings.json.utf8))
        #expect(json["settings"]?.count == Setting.all.count)
        // One file may give what another one asks for.
        let curve =
            "endpoints: [{request: 'tcp://0.0.0.0:1', publish: 'tcp://0.0.0.0:2', curve: true}]"
        try write(curve, "a.d/20-more.yaml")
        #expect {
            try Configuration.read(file: file, stateDirectory: nil, endpoints: [])
        } throws: {
            ($0 as? DaemonError)?.all.first?.contains("20-more.yaml:1:") == true
        }
        try write("guests: []", "a.d/30.yaml")
        _ = try Configuration.read(file: file, stateDirectory: nil, endpoints: [])
    }

    /// A command without options means the installed daemon, whoever types it; but first what the user has.
    @Test func theDaemonThatIsMeant() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "trestle-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "trestled.yaml")
        #expect(Configuration.fileMeant(installed: file.path) == nil)
        try "state_directory: /srv/trestle".write(to: file, atomically: true, encoding: .utf8)
        let meant = try Configuration.readMeant(
            file: nil, stateDirectory: nil, endpoints: [], installed: file.path)
        #expect(meant.stateDirectory == "/srv/trestle")
        let said = try Configuration.readMeant(
            file: nil, stateDirectory: "/y", endpoints: [], installed: file.path)
        #expect(said.stateDirectory == "/y")
    }
}

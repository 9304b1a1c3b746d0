import Glibc

/// The job in etcd's words: a key for each row's place and text, one transaction for each command,
/// which also puts the diff, in Redis's words, into a key that the viewers watch.
enum EtcdWords {
    static let transaction = "/etcdserverpb.KV/Txn"
    static let watching = "/etcdserverpb.Watch/Watch"
    private static let diffs = Array("diff".utf8)

    static func request(
        _ action: Workload.Action, client: [UInt8], number: UInt64, score: Double
    ) -> [UInt8] {
        var writer = Writer()
        let score = Array("\(score)".utf8)
        switch action {
        case .move(let row, _): put(key("order/", Workload.id(row)), score, &writer)
        case .expand(let row):
            let state = number % 2 == 0 ? "expanded" : "collapsed"
            put(key("expand/", Workload.id(row)), Array(state.utf8), &writer)
        case .set(let row, let title): put(key("title/", Workload.id(row)), title, &writer)
        case .setNote(let row, let note): put(key("note/", Workload.id(row)), note, &writer)
        case .insert(let id, _):
            put(key("order/", id), score, &writer)
            put(key("title/", id), Workload.title, &writer)
            put(key("note/", id), Workload.note, &writer)
        case .remove(let id):
            for kind in ["order/", "title/", "note/"] { delete(key(kind, id), &writer) }
        }
        put(diffs, RedisWords.diff(action, client: client, number: number), &writer)
        return writer.bytes
    }

    static func fill(_ rows: Range<Int>) -> [UInt8] {
        var writer = Writer()
        for row in rows {
            let id = Workload.id(row)
            put(key("order/", id), Array("\(row)".utf8), &writer)
            put(key("title/", id), Workload.title, &writer)
            put(key("note/", id), Workload.note, &writer)
        }
        return writer.bytes
    }

    static var watch: [UInt8] {
        var writer = Writer()
        writer.message(1) { $0.content(1, diffs) }
        return writer.bytes
    }

    /// The diffs in a message of the watch; in its first there are none.
    static func each(_ message: UnsafeRawBufferPointer, _ body: (Diff) -> Void) {
        for event in Fields(message) where event.number == 11 {
            for pair in Fields(event.content) where pair.number == 2 {
                for field in Fields(pair.content) where field.number == 5 {
                    body(Diffs.ofRedis(field.content))
                }
            }
        }
    }

    private static func key(_ kind: String, _ id: [UInt8]) -> [UInt8] { Array(kind.utf8) + id }

    /// One of the steps that are done together.
    private static func put(_ key: [UInt8], _ value: [UInt8], _ writer: inout Writer) {
        writer.message(2) { step in
            step.message(2) {
                $0.content(1, key)
                $0.content(2, value)
            }
        }
    }

    private static func delete(_ key: [UInt8], _ writer: inout Writer) {
        writer.message(2) { step in step.message(3) { $0.content(1, key) } }
    }
}

/// etcd serves on loopback, at a port of its own for each server.
enum Etcd {
    static func launch(
        _ variables: [String], in directory: String, log: String
    ) throws(Failure) -> Child {
        let port = try Port.reserve(in: directory)
        let peers = port + 1
        let url = "http://127.0.0.1:\(port)"
        return try Child(
            "env",
            variables + [
                "etcd", "--data-dir", directory + "/etcd", "--listen-client-urls", url,
                "--advertise-client-urls", url, "--listen-peer-urls", "http://127.0.0.1:\(peers)",
                "--initial-advertise-peer-urls", "http://127.0.0.1:\(peers)",
                "--initial-cluster", "default=http://127.0.0.1:\(peers)",
                "--log-level", "error",
            ], log: log)
    }
}

final class EtcdCommands: Commands {
    private let names: [[UInt8]]
    private var connections: [GrpcConnection] = []
    /// Answers that were read and not yet taken.
    private var done: [(answered: Int, failed: Int)]
    private var prepared: [UInt8] = []

    init(_ names: [[UInt8]], port: Int) throws(Failure) {
        self.names = names
        done = Array(repeating: (0, 0), count: names.count)
        for _ in names {
            connections.append(try GrpcConnection(port: port, path: EtcdWords.transaction))
        }
    }

    func descriptor(_ client: Int) -> Int32 { connections[client].descriptor }

    func prepare(_ action: Workload.Action, _ client: Int, number: UInt64) {
        let score = Double(nanoseconds() % 100_000_000) / 10_000
        prepared = EtcdWords.request(action, client: names[client], number: number, score: score)
    }

    func send(_ client: Int) throws(Failure) { try connections[client].request(prepared) }

    func reply(_ client: Int) throws(Failure) -> Bool? {
        if done[client].answered == 0 {
            done[client] = try connections[client].receive { _ in }
            if done[client].answered == 0 { return nil }
        }
        done[client].answered -= 1
        guard done[client].failed > 0 else { return true }
        done[client].failed -= 1
        return false
    }

    func close() { for connection in connections { connection.close() } }
}

import Glibc

extension Contestant {
    /// Connections of so many clients.
    func commands(_ names: [[UInt8]], in directory: String) throws(Failure) -> any Commands {
        switch self {
        case .etcd: try EtcdCommands(names, port: Port.first(in: directory) ?? 0)
        case .redis: try RedisCommands(names, path: directory + "/redis.sock")
        case .trestle, .libzmq, .libzmqPreallocated, .libzmqEach:
            try ZmtpCommands(names, endpoint: requestEndpoint(in: directory))
        }
    }
}

/// Trestle, and libzmq alone: the same bytes to both.
final class ZmtpCommands: Commands {
    private let names: [[UInt8]]
    private var connections: [Zmtp] = []
    private var opened: UInt64 = 0
    private var prepared: [UInt8] = []

    init(_ names: [[UInt8]], endpoint: String) throws(Failure) {
        self.names = names
        for _ in names { connections.append(try Zmtp(.dealer, to: endpoint)) }
        for connection in connections {
            opened = try connection.ask(TrestleWords.hello, TrestleWords.opened)
        }
    }

    func descriptor(_ client: Int) -> Int32 { connections[client].descriptor }

    func prepare(_ action: Workload.Action, _ client: Int, number: UInt64) {
        prepared = TrestleWords.request(
            action, client: names[client], number: number, opened: opened)
    }

    func send(_ client: Int) throws(Failure) { try connections[client].sendRequest(prepared) }

    func reply(_ client: Int) throws(Failure) -> Bool? {
        try connections[client].nextNow(TrestleWords.isOk)
    }

    func close() { for connection in connections { connection.close() } }
}

final class RedisCommands: Commands {
    private let names: [[UInt8]]
    private var connections: [Connection] = []
    private var lines: [Int]
    private var errors: [Bool]
    private var prepared: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 4_096)

    init(_ names: [[UInt8]], path: String) throws(Failure) {
        self.names = names
        lines = Array(repeating: 0, count: names.count)
        errors = Array(repeating: false, count: names.count)
        for _ in names { connections.append(try Connection(path: path)) }
    }

    func descriptor(_ client: Int) -> Int32 { connections[client].descriptor }

    func prepare(_ action: Workload.Action, _ client: Int, number: UInt64) {
        let score = Int(nanoseconds() % 10_000)
        prepared = RedisWords.request(
            action, client: names[client], number: number, score: score)
    }

    func send(_ client: Int) throws(Failure) { try connections[client].send(prepared) }

    func reply(_ client: Int) throws(Failure) -> Bool? {
        if lines[client] < RedisWords.linesPerReply {
            guard let count = try connections[client].receiveNow(into: &room) else { return nil }
            for byte in room[..<count] {
                if byte == 10 { lines[client] += 1 }
                if byte == UInt8(ascii: "-") { errors[client] = true }
            }
            if lines[client] < RedisWords.linesPerReply { return nil }
        }
        lines[client] -= RedisWords.linesPerReply
        defer { errors[client] = false }
        return !errors[client]
    }

    func close() { for connection in connections { connection.close() } }
}

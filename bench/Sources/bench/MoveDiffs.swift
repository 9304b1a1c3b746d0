import CZeroMQ
import Glibc

/// Moves one after another, for the size of what a viewer gets.
struct MoveDiffs {
    let server: Server
    let moves: Int
    let seed: UInt64

    init(_ server: Server, moves: Int, seed: UInt64) {
        (self.server, self.moves, self.seed) = (server, moves, seed)
    }

    /// The bytes of each diff, and of its ops alone.
    func sizes() throws(Failure) -> [(whole: Int, ops: Int)] {
        let context = zmq_ctx_new()
        defer { zmq_ctx_term(context) }
        let viewer = try Zmq(ZMQ_SUB, in: context)
        let socket = try Zmq(ZMQ_DEALER, in: context)
        defer {
            viewer.close()
            socket.close()
        }
        try viewer.connect(Contestant.trestle.publishEndpoint(in: server.directory))
        try viewer.subscribe(TrestleWords.topic)
        guard viewer.wait(milliseconds: 5_000) else { throw Failure("no welcome") }
        try socket.connect(Contestant.trestle.requestEndpoint(in: server.directory))
        let opened = try socket.ask(TrestleWords.hello, TrestleWords.opened)
        let client = Load.name(of: 0, seed: seed)
        var random = Random(seed: seed)
        var sizes: [(whole: Int, ops: Int)] = []
        for number in 1...moves {
            let row = random.below(server.rows)
            let other = (row + 1 + random.below(server.rows - 1)) % server.rows
            let request = TrestleWords.request(
                .move(row: row, after: other), client: client, number: UInt64(number),
                opened: opened)
            guard try socket.ask(request, TrestleWords.isOk) else {
                throw Failure("a move was refused")
            }
            while let some = viewer.receive(TrestleWords.diffBytes) {
                sizes.append(contentsOf: some)
            }
        }
        guard sizes.count * 2 > moves else { throw Failure("no diffs came") }
        return sizes
    }
}

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
        let viewer = try Zmtp(
            .sub, to: Contestant.trestle.publishEndpoint(in: server.directory))
        let socket = try Zmtp(
            .dealer, to: Contestant.trestle.requestEndpoint(in: server.directory))
        defer {
            viewer.close()
            socket.close()
        }
        try viewer.subscribe(TrestleWords.topic)
        guard try viewer.next({ _ in true }) != nil else { throw Failure("no welcome") }
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
            while try viewer.receive(waits: false) {
                viewer.messages { sizes.append(contentsOf: TrestleWords.diffBytes($0)) }
            }
        }
        guard sizes.count * 2 > moves else { throw Failure("no diffs came") }
        return sizes
    }
}

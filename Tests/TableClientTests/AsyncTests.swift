import TableClient
import TableClientAsync
import Testing

/// The client for `async` code, at a daemon that another thread steps.
@Suite struct AsyncTests {
    /// Runs `body` beside a daemon that goes on.
    private func beside(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
        let daemon = try SmallDaemon()
        try daemon.makeTable(rows: 1)
        nonisolated(unsafe) let steps = { try daemon.step() }
        let endpoint = daemon.endpoint
        let task = Task { try await body(endpoint) }
        let over = Task.detached {
            while !Task.isCancelled {
                try steps()
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { over.cancel() }
        try await task.value
    }

    /// The unit tests have the processor that other tests leave.
    private let patienceMs: UInt64 = 60_000

    @Test func aRefusalIsThrown() async throws {
        try await beside { endpoint in
            let client = try AsyncClient(endpoint, name: "ada")
            let reply = try await client.perform(
                Command(.add(.init(id: "soup", .init(title: "Soup")))), on: "board",
                withinMilliseconds: patienceMs)
            #expect(reply.revision == 3)
            let error = await #expect(throws: ClientError.self) {
                try await client.perform(
                    Command(.remove(["tea"])), on: "board", withinMilliseconds: patienceMs)
            }
            guard case .refused(let rejection) = error else {
                Issue.record("it is \(String(describing: error))")
                return
            }
            #expect(rejection.code == .noSuchRow)
            let titles = try await client.read("board") { $0.rows.map(\.content.title) }
            #expect(titles == ["", "Soup"])
            await #expect(throws: ClientError.self) {
                try await client.ask(.kinds, about: "none", withinMilliseconds: patienceMs)
            }
        }
    }

    @Test func newsComeAsTheyHappen() async throws {
        try await beside { endpoint in
            let follower = try AsyncFollower("board", at: endpoint)
            let client = try AsyncClient(endpoint)
            var titles: [String] = []
            for try await news in follower.news {
                let count = await follower.read { $0?.count ?? 0 }
                if news.steps.contains(.installed) {
                    #expect(count == 1)
                    for title in ["Soup", "Tea"] {
                        try await client.perform(
                            Command(.add(.init(.init(title: title)))), on: "board",
                            withinMilliseconds: patienceMs)
                    }
                }
                if count == 3, news.freshness == .live {
                    titles = await follower.read { $0?.rows.map(\.content.title) ?? [] }
                    break
                }
            }
            #expect(titles == ["", "Soup", "Tea"])
        }
    }

    @Test func whatIsCancelledEnds() async throws {
        let client = try AsyncClient("ipc:///tmp/trestle-nobody-listens-here")
        let asking = Task {
            try await client.perform(.create, on: "board", withinMilliseconds: nil)
        }
        try await Task.sleep(for: .milliseconds(50))
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        let follower = try AsyncFollower("board", at: "ipc:///tmp/trestle-nobody-listens-here")
        let following = Task {
            var count = 0
            for try await _ in follower.news { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(300))
        following.cancel()
        #expect(try await following.value == 1)
    }
}

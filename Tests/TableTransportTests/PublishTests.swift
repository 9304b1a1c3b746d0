import TableTransport
import Testing

@Suite struct PublishTests {
    private func subscriber(_ endpoint: String, to topics: String...) throws -> Socket {
        let socket = try Socket(.subscribe, in: sharedContext.get())
        for topic in topics { try socket.subscribe(to: Array(topic.utf8)) }
        try socket.connect(endpoint)
        return socket
    }

    @Test func eachSubscriptionShows() throws {
        let directory = Directory()
        let publisher = try Socket(.xpub, in: sharedContext.get())
        try publisher.bind(directory.endpoint())

        let first = try subscriber(directory.endpoint(), to: "t/a/")
        let one = try publisher.next()
        #expect(one == [[1] + Array("t/a/".utf8)])
        // A second one to the same topic shows too: that is XPUB_VERBOSE.
        let second = try subscriber(directory.endpoint(), to: "t/a/")
        let two = try publisher.next()
        #expect(two == [[1] + Array("t/a/".utf8)])

        _ = try publisher.send("t/b/", "for nobody")
        _ = try publisher.send("t/a/", "for both")
        let expected = [Array("t/a/".utf8), Array("for both".utf8)]
        let (toFirst, toSecond) = (try first.next(), try second.next())
        #expect(toFirst == expected)
        #expect(toSecond == expected)

        // Only the last one to leave a topic shows.
        try first.unsubscribe(from: Array("t/a/".utf8))
        try second.unsubscribe(from: Array("t/a/".utf8))
        let gone = try publisher.next()
        #expect(gone == [[0] + Array("t/a/".utf8)])
    }

    @Test func aSlowSubscriberLosesAndNobodyWaits() throws {
        let directory = Directory()
        var narrow = SocketOptions()
        narrow.sendHighWaterMark = 8
        let publisher = try Socket(.xpub, in: sharedContext.get(), options: narrow)
        try publisher.bind(directory.endpoint())
        let slow = try subscriber(directory.endpoint(), to: "")
        _ = try publisher.next()

        let payload = [UInt8](repeating: 3, count: 50_000)
        var frames = Frames(limit: 2)
        let published = 2_000
        for _ in 0..<published {
            frames.append("t/")
            frames.append(payload)
            let outcome = try publisher.send(&frames)
            #expect(outcome == .sent)
        }
        var received = 0
        while let message = try slow.next(within: 200) {
            #expect(message.map(\.count) == [2, 50_000])
            received += 1
        }
        #expect(received > 0)
        #expect(received < published)
    }
}

import Glibc
import TableTransport
import Testing

@Suite struct ExchangeTests {
    @Test func aMessageGoesThereAndBack() throws {
        let couple = try Couple()
        let sent = try couple.dealer.send("one", "", "three")
        #expect(sent == .sent)

        var frames = Frames(limit: 9)
        let received = try couple.router.receive(into: &frames, withinMilliseconds: patience)
        try #require(received)
        let (count, excess, middle) = (frames.count, frames.excess, frames.byteCount(at: 2))
        #expect(count == 4)
        #expect(excess == 0)
        #expect(middle == 0)

        // A received message is sent on as it is, routing id first.
        let answered = try couple.router.send(&frames)
        #expect(answered == .sent)
        let left = frames.count
        #expect(left == 0)
        let echo = try couple.dealer.next()
        #expect(echo == [Array("one".utf8), [], Array("three".utf8)])
    }

    @Test func nothingThereIsNotAnError() throws {
        let couple = try Couple()
        var frames = Frames(limit: 9)
        let received = try couple.router.receive(into: &frames)
        #expect(!received)
    }

    @Test func excessFramesAreDroppedAndCounted() throws {
        let couple = try Couple()
        let long = (0..<20).map { [UInt8($0)] }
        _ = try couple.dealer.send(long)
        _ = try couple.dealer.send("next")

        var frames = Frames(limit: 9)
        let first = try couple.router.receive(into: &frames, withinMilliseconds: patience)
        try #require(first)
        let (count, excess, last) = (frames.count, frames.excess, frames.bytes(at: 8))
        #expect(count == 9)
        #expect(excess == 21 - 9)
        #expect(last == [7])

        let second = try couple.router.receive(into: &frames, withinMilliseconds: patience)
        try #require(second)
        let (nextCount, nextExcess) = (frames.count, frames.excess)
        #expect(nextCount == 2)
        #expect(nextExcess == 0)
    }

    @Test(arguments: [0, 1, 33, 34, 8_192, 100_000, 1 << 20])
    func framesOfEverySize(size: Int) throws {
        let couple = try Couple()
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var frames = Frames(limit: 4)
        frames.append("StaticString")
        frames.append(bytes)
        bytes.withUnsafeBytes { frames.append($0) }
        _ = try couple.dealer.send(&frames)
        let received = try couple.router.next()
        #expect(received?.dropFirst() == [Array("StaticString".utf8), bytes, bytes])
    }

    @Test func anOversizedFrameEndsOnlyItsOwnConnection() throws {
        var small = SocketOptions()
        small.maximumFrameBytes = 1_000
        let couple = try Couple(router: small)
        _ = try couple.dealer.send([[UInt8](repeating: 0, count: 1_001)])
        let refused = try couple.router.next(within: 300)
        #expect(refused == nil)

        let other = try Socket(.dealer, in: sharedContext.get())
        try other.connect(couple.directory.endpoint())
        _ = try other.send([[UInt8](repeating: 1, count: 1_000)])
        let received = try couple.router.next()
        #expect(received?.last?.count == 1_000)
    }

    /// Which takes no `Frames`: each frame is one call.
    @Test(arguments: [false, true])
    func anAnswerGoesToWhoAsked(hasDelimiter: Bool) throws {
        let couple = try Couple()
        var frames = Frames(limit: 9)
        for number in UInt8(0)..<3 {
            _ = try couple.dealer.send("question")
            let came = try couple.router.receive(into: &frames, withinMilliseconds: patience)
            try #require(came)
            let peer = frames.withBytes(at: 0) { RoutingID($0) }
            let body = [UInt8](repeating: number, count: 100 * Int(number))
            let sent = try body.withUnsafeBytes {
                try couple.router.answer(
                    peer, hasDelimiter: hasDelimiter, header: "header", body: $0)
            }
            #expect(sent == .sent)
            let answer = try couple.dealer.next()
            #expect(answer == (hasDelimiter ? [[]] : []) + [Array("header".utf8), body])
        }
        let stranger = RoutingID(UnsafeRawBufferPointer(start: nil, count: 0))
        let lost = try couple.router.answer(
            stranger, hasDelimiter: hasDelimiter, header: "header",
            body: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(lost == .unreachable)
    }

    /// Those of clients have up to 255 bytes.
    @Test(arguments: [0, 1, 5, 9, 15, 16, 17, 255])
    func aRoutingIDHasItsBytes(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        let id = bytes.withUnsafeBytes { RoutingID($0) }
        #expect(id.withBytes { Array($0) } == bytes)
    }

    @Test func anUnknownPeerIsUnreachable() throws {
        let couple = try Couple()
        let outcome = try couple.router.send("nobody", "a", "b", "c")
        #expect(outcome == .unreachable)

        // Nothing of it is left to mingle with the next message.
        _ = try couple.dealer.send("hello")
        let hello = try couple.router.next()
        let peer = try #require(hello?.first)
        let answered = try couple.router.send([peer, [1], [2]])
        #expect(answered == .sent)
        let received = try couple.dealer.next()
        #expect(received == [[1], [2]])
    }

    @Test func aFullPeerWouldBlockAndGetsWholeMessages() throws {
        var narrow = SocketOptions()
        narrow.sendHighWaterMark = 4
        narrow.receiveHighWaterMark = 4
        let couple = try Couple(router: narrow, dealer: narrow)
        _ = try couple.dealer.send("hello")
        let hello = try couple.router.next()
        let peer = try #require(hello?.first)

        // Large enough that the kernel's buffers do not swallow them all.
        let payload = [UInt8](repeating: 9, count: 100_000)
        var frames = Frames(limit: 3)
        var sent = 0
        var outcome = SendOutcome.sent
        while outcome == .sent && sent < 1_000 {
            frames.removeAll()
            frames.append(peer)
            frames.append("payload")
            frames.append(payload)
            outcome = try couple.router.send(&frames)
            if outcome == .sent { sent += 1 }
        }
        #expect(outcome == .wouldBlock)
        let kept = frames.count
        #expect(kept == 3)

        for _ in 0..<sent {
            let received = try couple.dealer.next()
            #expect(received?.map(\.count) == [7, 100_000])
        }
        let extra = try couple.dealer.next(within: 100)
        #expect(extra == nil)
    }

    @Test func withoutAConnectionImmediateWouldBlock() throws {
        var options = SocketOptions()
        options.sendsOnlyWhenConnected = true
        let directory = Directory()
        let dealer = try Socket(.dealer, in: sharedContext.get(), options: options)
        try dealer.connect(directory.endpoint())
        let outcome = try dealer.send("anyone?")
        #expect(outcome == .wouldBlock)
    }
}

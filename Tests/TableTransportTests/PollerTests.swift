import CZeroMQ
import Glibc
import TableTransport
import Testing

@Suite struct PollerTests {
    @Test func socketsAndDescriptorsWakeIt() throws {
        let couple = try Couple()
        let event = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        defer { close(event) }
        var poller = Poller(capacity: 2)
        let router = poller.add(couple.router)
        let wake = poller.add(descriptor: event)

        let idle = try poller.wait(milliseconds: 0)
        #expect(idle == 0)

        eventfd_write(event, 1)
        let one = try poller.wait(milliseconds: patience)
        var found = (poller.isReady(router), poller.isReady(wake))
        #expect(one == 1)
        #expect(found == (false, true))

        // What is not watched does not wake, and can be watched again.
        poller.watch(wake, false)
        _ = try couple.dealer.send("hello")
        let other = try poller.wait(milliseconds: patience)
        found = (poller.isReady(router), poller.isReady(wake))
        #expect(other == 1)
        #expect(found == (true, false))

        poller.watch(wake, true)
        let both = try poller.wait(milliseconds: patience)
        #expect(both == 2)
    }

    /// libzmq tells of a new connection as it does of a message.
    @Test func whoComesAndSaysNothingDoesNotEndTheWait() throws {
        let couple = try Couple()
        var poller = Poller(capacity: 1)
        _ = poller.add(couple.router)
        let begin = ContinuousClock.now
        let ready = try poller.wait(milliseconds: 300)
        #expect(ready == 0)
        #expect(ContinuousClock.now - begin >= .milliseconds(290))
        // Nor does it hide what comes then.
        _ = try couple.dealer.send("hello")
        let later = try poller.wait(milliseconds: patience)
        #expect(later == 1)
        // What was not received stays ready.
        let again = try poller.wait(milliseconds: patience)
        #expect(again == 1)
    }

    @Test func signalsAreReadInOrder() throws {
        // A signal that nothing else here uses, and only for this thread.
        let signals = try SignalDescriptor([SIGUSR2])
        var poller = Poller(capacity: 1)
        let entry = poller.add(descriptor: signals.fileDescriptor)
        let nothing = try signals.next()
        #expect(nothing == nil)
        pthread_kill(pthread_self(), SIGUSR2)
        let ready = try poller.wait(milliseconds: patience)
        let found = poller.isReady(entry)
        #expect(ready == 1)
        #expect(found)
        let (signal, afterwards) = (try signals.receive(), try signals.next())
        #expect(signal?.number == SIGUSR2 && signal?.uid == getuid())
        #expect(signal?.pid == UInt32(getpid()))
        #expect(afterwards == nil)
    }

    /// A send may take the signal of a request that has just come: the wait that follows must not miss it, or it would
    /// last until the next one. Answers and publications go out between requests, with pauses of all lengths, since
    /// libzmq looks at its signals at most once a millisecond while it sends.
    @Test func noRequestIsMissedBesideSends() throws {
        let couple = try Couple()
        var poller = Poller(capacity: 1)
        let entry = poller.add(couple.router)
        var message = Frames(limit: 4)
        for round in 0..<3_000 {
            _ = try couple.dealer.send("\(round)")
            let ready = try poller.wait(milliseconds: patience)
            let isReady = poller.isReady(entry)
            #expect(ready == 1 && isReady, "request \(round)")
            if ready == 0 { return }
            var routingID: [UInt8] = []
            while try couple.router.receive(into: &message) { routingID = message.bytes(at: 0) }
            // Another request is under way while these go out.
            _ = try couple.dealer.send("\(round) again")
            for _ in 0..<1 + round % 3 {
                usleep(UInt32(round % 7) * 200)
                _ = try couple.router.send([routingID, Array("an answer".utf8)])
            }
            let second = try poller.wait(milliseconds: patience)
            #expect(second == 1, "the request beside answer \(round)")
            if second == 0 { return }
            while try couple.router.receive(into: &message) {}
            while try couple.dealer.receive(into: &message) {}
        }
    }
}

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
        var found = (poller.ready(router), poller.ready(wake))
        #expect(one == 1)
        #expect(found == ([], .readable))

        // A descriptor that is not watched does not wake, and can be watched again.
        poller.watch(wake, for: [])
        _ = try couple.dealer.send("hello")
        let other = try poller.wait(milliseconds: patience)
        found = (poller.ready(router), poller.ready(wake))
        #expect(other == 1)
        #expect(found == (.readable, []))

        poller.watch(wake, for: .readable)
        let both = try poller.wait(milliseconds: patience)
        #expect(both == 2)

        poller.removeAll()
        let again = poller.add(descriptor: event, for: .writable)
        let writable = try poller.wait(milliseconds: patience)
        found.0 = poller.ready(again)
        #expect(writable == 1)
        #expect(found.0 == .writable)
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
        let found = poller.ready(entry)
        #expect(ready == 1)
        #expect(found == .readable)
        let (signal, afterwards) = (try signals.receive(), try signals.next())
        #expect(signal?.number == SIGUSR2 && signal?.uid == getuid())
        #expect(signal?.pid == UInt32(getpid()))
        #expect(afterwards == nil)
    }
}

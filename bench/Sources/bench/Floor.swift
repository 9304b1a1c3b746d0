import CZeroMQ
import Glibc

/// What libzmq and the disk alone allow: a ROUTER and an XPUB that drain what has arrived, append
/// it to a file, sync once, publish it as one message and answer. No state, no checks.
struct Floor {
    var directory: String

    private static let mostPerTurn = 4_096
    /// As a reply of trestled begins: ok.
    private static let answer: [UInt8] = [8, 1] + [UInt8](repeating: 0, count: 62)

    /// How many requests a publication holds.
    static func diffs(_ publication: UnsafeRawBufferPointer) -> Int {
        Int(UInt32(littleEndian: publication.loadUnaligned(as: UInt32.self)))
    }

    func run() throws(Failure) {
        let context = zmq_ctx_new()
        let router = try Zmq(ZMQ_ROUTER, in: context)
        let publish = try Zmq(ZMQ_XPUB, in: context)
        try publish.set(ZMQ_XPUB_VERBOSE, 1)
        try publish.set(ZMQ_SNDHWM, 256)
        try router.bind(Contestant.libzmq.requestEndpoint(in: directory))
        try publish.bind(Contestant.libzmq.publishEndpoint(in: directory))
        let path = directory + "/floor.log"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        guard file >= 0 else { throw Failure("open \(path)") }
        let slots = Slots(count: Self.mostPerTurn)
        var items = [router, publish].map {
            zmq_pollitem_t(socket: $0.raw, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        }
        while true {
            zmq_poll(&items, 2, -1)
            while publish.receive({ _ in }) != nil { self.publish(0, [0, 0, 0, 0], publish) }
            try turn(router, publish, file, slots)
        }
    }

    private func turn(
        _ router: Zmq, _ publish: Zmq, _ file: Int32, _ slots: Slots
    ) throws(Failure) {
        var count = 0
        // Room for the number of requests in front.
        var batch: [UInt8] = [0, 0, 0, 0]
        while count < Self.mostPerTurn,
            zmq_msg_recv(slots.ids + count, router.raw, ZMQ_DONTWAIT) >= 0
        {
            router.receive { batch.append(contentsOf: $0) }
            count += 1
        }
        if count == 0 { return }
        guard write(file, batch, batch.count) == batch.count, fdatasync(file) == 0 else {
            throw Failure("write the log")
        }
        self.publish(UInt32(count), batch, publish)
        for index in 0..<count {
            zmq_msg_send(slots.ids + index, router.raw, ZMQ_DONTWAIT | ZMQ_SNDMORE)
            router.send([], more: true)
            router.send(TrestleWords.header, more: true)
            router.send(Self.answer, more: false)
        }
    }

    private func publish(_ count: UInt32, _ batch: [UInt8], _ socket: Zmq) {
        var batch = batch
        withUnsafeBytes(of: count.littleEndian) { batch.replaceSubrange(0..<4, with: $0) }
        socket.send(TrestleWords.topic, more: true)
        socket.send(batch, more: false)
    }

    /// Routing ids, where libzmq put them.
    private final class Slots {
        let ids: UnsafeMutablePointer<zmq_msg_t>

        init(count: Int) {
            ids = .allocate(capacity: count)
            for index in 0..<count { zmq_msg_init(ids + index) }
        }
    }
}

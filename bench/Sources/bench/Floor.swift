import CZeroMQ
import Glibc

/// The floor that libzmq and the disk alone allow: a ROUTER and an XPUB that drain what has arrived, append
/// it to a file, sync once, publish it as one message and answer. No state, no checks. Another
/// ROUTER gives out a snapshot that was made once, in chunks as trestled's.
struct Floor {
    var directory: String
    var rows: Int
    /// Which of the floors.
    var kind: Contestant

    private static let mostPerTurn = 4_096
    /// As a reply of trestled begins: ok.
    private static let answer: [UInt8] = [8, 1] + [UInt8](repeating: 0, count: 62)

    func run() throws(Failure) {
        let context = zmq_ctx_new()
        let router = try Zmq(ZMQ_ROUTER, in: context)
        let publish = try Zmq(ZMQ_XPUB, in: context)
        let snapshots = try Zmq(ZMQ_ROUTER, in: context)
        try publish.set(ZMQ_XPUB_VERBOSE, 1)
        try publish.set(ZMQ_SNDHWM, 256)
        try router.bind(Contestant.libzmq.requestEndpoint(in: directory))
        try publish.bind(Contestant.libzmq.publishEndpoint(in: directory))
        try snapshots.bind(Contestant.libzmq.snapshotEndpoint(in: directory))
        var log = try FloorLog(
            directory + "/floor.log", isPreallocated: kind == .libzmqPreallocated)
        let chunks = FloorSnapshot.chunks(rows: rows)
        let slots = Slots(count: Self.mostPerTurn)
        var items = [router, publish, snapshots].map {
            zmq_pollitem_t(socket: $0.raw, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        }
        while true {
            zmq_poll(&items, 3, -1)
            while publish.receive({ _ in }) != nil { self.publish([], publish) }
            if items[2].revents != 0 { give(chunks, snapshots, slots) }
            try turn(router, publish, &log, slots)
        }
    }

    private func turn(
        _ router: Zmq, _ publish: Zmq, _ log: inout FloorLog, _ slots: Slots
    ) throws(Failure) {
        var count = 0
        var batch = Writer()
        while count < Self.mostPerTurn,
            zmq_msg_recv(slots.ids + count, router.raw, ZMQ_DONTWAIT) >= 0
        {
            router.receive {
                batch.varint(UInt64($0.count))
                batch.bytes.append(contentsOf: $0)
            }
            count += 1
        }
        if count == 0 { return }
        try log.append(batch.bytes)
        if kind != .libzmqEach {
            self.publish(batch.bytes, publish)
        } else {
            batch.bytes.withUnsafeBytes { bytes in
                for request in Fields.lengthDelimited(bytes) {
                    var one = Writer()
                    one.varint(UInt64(request.count))
                    one.bytes.append(contentsOf: request)
                    self.publish(one.bytes, publish)
                }
            }
        }
        for index in 0..<count { answer(Self.answer, router, slots.ids + index) }
    }

    private func give(_ chunks: [[UInt8]], _ router: Zmq, _ slots: Slots) {
        while zmq_msg_recv(slots.ids, router.raw, ZMQ_DONTWAIT) >= 0 {
            let chunk = router.receive(TrestleWords.chunkAsked) ?? 0
            if chunk < chunks.count { answer(chunks[chunk], router, slots.ids) }
        }
    }

    private func answer(
        _ body: [UInt8], _ router: Zmq, _ id: UnsafeMutablePointer<zmq_msg_t>
    ) {
        zmq_msg_send(id, router.raw, ZMQ_DONTWAIT | ZMQ_SNDMORE)
        router.send(TrestleWords.header, more: true)
        router.send(body, more: false)
    }

    private func publish(_ batch: [UInt8], _ socket: Zmq) {
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

/// A log that is appended to, or a file of zeros that is overwritten from its beginning, again and again.
private struct FloorLog {
    private static let bytes = 64 << 20

    private let file: Int32
    private let isPreallocated: Bool
    private var offset = 0

    init(_ path: String, isPreallocated: Bool) throws(Failure) {
        self.isPreallocated = isPreallocated
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | (isPreallocated ? 0 : O_APPEND), 0o600)
        guard file >= 0 else { throw Failure("open \(path)") }
        self.file = file
        guard isPreallocated else { return }
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<Self.bytes / zeros.count {
            guard write(file, zeros, zeros.count) == zeros.count else {
                throw Failure("write \(path)")
            }
        }
        guard fsync(file) == 0 else { throw Failure("sync \(path)") }
    }

    mutating func append(_ bytes: [UInt8]) throws(Failure) {
        if offset + bytes.count > Self.bytes { offset = 0 }
        let count =
            isPreallocated
            ? pwrite(file, bytes, bytes.count, offset) : write(file, bytes, bytes.count)
        guard count == bytes.count, fdatasync(file) == 0 else { throw Failure("write the log") }
        offset += bytes.count
    }
}

/// The filled table, in replies as those of trestled.
enum FloorSnapshot {
    private static let chunkBytes = 256 << 10

    static func chunks(rows: Int) -> [[UInt8]] {
        var slices: [Writer] = [Writer()]
        for row in 0..<rows {
            if slices[slices.count - 1].bytes.count > chunkBytes { slices.append(Writer()) }
            slices[slices.count - 1].message(3) { Self.row(row, &$0) }
        }
        return slices.enumerated().map { index, slice in
            var writer = Writer()
            writer.number(1, 1)
            writer.message(23) {
                $0.text(1, "floor")
                $0.number(4, UInt64(index))
                $0.number(5, UInt64(slices.count))
                $0.number(6, UInt64(rows))
                $0.message(9) {
                    $0.text(1, "main")
                    $0.bytes.append(contentsOf: slice.bytes)
                }
            }
            return writer.bytes
        }
    }

    private static func row(_ row: Int, _ writer: inout Writer) {
        writer.content(1, Workload.id(row))
        writer.text(2, "row")
        writer.content(5, Workload.title)
        writer.message(6) {
            $0.text(1, "note")
            $0.content(2, Workload.note)
        }
        writer.number(7, UInt64(row))
        writer.number(8, 1_763_715_600_000)
    }
}

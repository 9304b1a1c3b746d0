import CZeroMQ
import Glibc

/// V viewers in one thread, each of which receives and counts every diff. Says "ready" when all of
/// them do, and how many diffs and messages there were when its input is closed.
struct Viewers {
    var contestant: Contestant
    var directory: String
    var count: Int

    private struct Counts {
        var diffs = 0
        var messages = 0
    }

    func run() throws(Failure) {
        let counts = contestant == .redis ? try runRedis() : try runZmq()
        say("\(counts.diffs) \(counts.messages)")
    }

    private func runZmq() throws(Failure) -> Counts {
        let context = zmq_ctx_new()
        var sockets: [Zmq] = []
        var epoll = try Epoll(capacity: count + 1)
        try epoll.add(0, as: count)
        for index in 0..<count {
            let socket = try Zmq(ZMQ_SUB, in: context)
            try socket.set(ZMQ_RCVHWM, 100_000)
            try socket.connect(contestant.publishEndpoint(in: directory))
            try socket.subscribe(TrestleWords.topic)
            try epoll.add(try socket.descriptor(), as: index)
            sockets.append(socket)
        }
        let diffs = contestant == .trestle ? TrestleWords.diffs : Floor.diffs
        var counts = Counts()
        var heard = [Bool](repeating: false, count: count)
        var isReady = false
        var isOver = false
        while !isOver {
            try epoll.wait(milliseconds: 100) { index throws(Failure) in
                if index == count {
                    isOver = true
                    return
                }
                while let found = sockets[index].receive(diffs) {
                    heard[index] = true
                    counts.diffs += found
                    counts.messages += 1
                }
            }
            if !isReady, heard.allSatisfy({ $0 }) {
                isReady = true
                say("ready")
            }
        }
        return counts
    }

    private func runRedis() throws(Failure) -> Counts {
        var epoll = try Epoll(capacity: count + 1)
        try epoll.add(0, as: count)
        var connections: [RedisConnection] = []
        for index in 0..<count {
            let connection = try RedisConnection(path: directory + "/redis.sock")
            try connection.send(RedisWords.subscribe)
            try epoll.add(connection.descriptor, as: index)
            connections.append(connection)
        }
        var rests = [[UInt8]](repeating: [], count: count)
        var room = [UInt8](repeating: 0, count: 64 << 10)
        var counts = Counts()
        var isReady = false
        var isOver = false
        while !isOver {
            try epoll.wait(milliseconds: 100) { index throws(Failure) in
                if index == count {
                    isOver = true
                    return
                }
                let size = try connections[index].receive(into: &room)
                rests[index].append(contentsOf: room[..<size])
                let whole = RESP.messages(in: rests[index][...])
                rests[index].removeFirst(whole.bytes)
                counts.messages += whole.count
            }
            // The first message to each is the answer to its SUBSCRIBE.
            if !isReady, counts.messages == count {
                isReady = true
                counts.messages = 0
                say("ready")
            }
        }
        counts.diffs = counts.messages
        return counts
    }
}

/// A line on standard output, at once.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

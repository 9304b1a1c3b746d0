import CZeroMQ
import Glibc

/// The result of sending a message.
public enum SendOutcome: Equatable, Sendable {
    /// libzmq took it. It may still be lost on the way.
    case sent
    /// The queue is at its high-water mark, or there is no peer yet. The frames are unchanged.
    case wouldBlock
    /// The peer does not exist, or no longer. The message is discarded.
    case unreachable
}

extension Socket {
    /// Sends one whole message without waiting. The frames are emptied unless it would have
    /// blocked.
    ///
    /// The peer receives all of the message or nothing. libzmq decides at the first frame, and
    /// hands the message over at the last.
    public func send(_ frames: inout Frames) throws(TransportError) -> SendOutcome {
        precondition(frames.count > 0, "a message has at least one frame")
        var outcome = SendOutcome.sent
        let last = frames.count - 1
        for index in 0...last {
            let flags = index < last ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
            switch send(frames.slots + index, flags) {
            case 0:
                continue
            case EAGAIN where index == 0:
                return .wouldBlock
            case EAGAIN:
                // The peer left between two frames. libzmq discards the message only if the rest is
                // offered too. Otherwise the next message would lose its first frames.
                outcome = .unreachable
            case EHOSTUNREACH:
                frames.removeAll()
                return .unreachable
            case let code:
                throw TransportError(code: code, action: "send a message")
            }
        }
        if outcome == .sent { frames.noteEmpty() } else { frames.removeAll() }
        return outcome
    }

    /// ROUTER: answers a peer, without waiting, with an empty delimiter if its messages have one, a header and
    /// a body. libzmq copies them.
    ///
    /// As `send`, without `Frames`: each frame is one call instead of four.
    public func answer(
        _ peer: RoutingID, hasDelimiter: Bool, header: StaticString, body: UnsafeRawBufferPointer
    ) throws(TransportError) -> SendOutcome {
        switch peer.withBytes({ put($0, isLast: false) }) {
        case 0: break
        case EAGAIN: return .wouldBlock
        case EHOSTUNREACH: return .unreachable
        case let code: throw TransportError(code: code, action: "send a message")
        }
        // As in `send`: the rest is offered even if the peer has left since then.
        var codes = (Int32(0), Int32(0), Int32(0))
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        if hasDelimiter { codes.0 = put(empty, isLast: false) }
        codes.1 = header.withUTF8Buffer { put(UnsafeRawBufferPointer($0), isLast: false) }
        codes.2 = put(body, isLast: true)
        let code = codes.0 != 0 ? codes.0 : codes.1 != 0 ? codes.1 : codes.2
        if code == 0 { return .sent }
        if code == EAGAIN || code == EHOSTUNREACH { return .unreachable }
        throw TransportError(code: code, action: "send a message")
    }

    /// XPUB: publishes a body under a topic. Nothing waits: for a viewer that is slow it is dropped. libzmq copies both.
    public func publish(
        _ body: UnsafeRawBufferPointer, under topic: [UInt8]
    ) throws(TransportError) {
        var code = topic.withUnsafeBytes { put($0, isLast: false) }
        // By itself the body would be taken for a topic.
        if code == 0 { code = put(body, isLast: true) }
        if code != 0 { throw TransportError(code: code, action: "send a message") }
    }

    /// Sends one frame; returns 0, or the error.
    private func put(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int32 {
        let flags = isLast ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE
        while zmq_send(handle.raw, bytes.baseAddress, bytes.count, flags) < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return 0
    }

    /// Sends one whole message from arrays. Simple, for small or rare messages.
    public func send(_ parts: [[UInt8]]) throws(TransportError) -> SendOutcome {
        var frames = Frames(limit: parts.count)
        for part in parts { frames.append(part) }
        return try send(&frames)
    }

    /// Reads one whole message without waiting. False if there is none.
    ///
    /// Frames beyond the limit are dropped and counted in `excess`. The old content of `frames` is
    /// lost in either case.
    public func receive(into frames: inout Frames) throws(TransportError) -> Bool {
        frames.receivedBytes = 0
        var received = 0
        var more = true
        while more {
            // The slot after the last takes the excess frames. Each replaces the one before.
            let index = min(received, frames.limit)
            // libzmq releases what the message before has left there.
            let bytes = zmq_msg_recv(frames.slots + index, handle.raw, ZMQ_DONTWAIT)
            if bytes < 0 {
                let code = zmq_errno()
                if code == EINTR { continue }
                frames.replaced(byFrames: received)
                frames.removeAll()
                if code == EAGAIN, received == 0 {
                    handle.mayKnowMore = false
                    return false
                }
                throw TransportError(code: code, action: "receive a message")
            }
            frames.find(index, byteCount: Int(bytes))
            received += 1
            frames.receivedBytes += Int(bytes)
            more = zmq_msg_more(frames.slots + index) != 0
        }
        frames.replaced(byFrames: received)
        return true
    }

    /// Waits for a message and reads it. False if none came in time. For clients that have nothing
    /// else to do: a loop over several sockets uses `Poller`.
    public func receive(
        into frames: inout Frames, withinMilliseconds timeout: Int
    ) throws(TransportError) -> Bool {
        var item = zmq_pollitem_t(socket: handle.raw, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        while zmq_poll(&item, 1, timeout) < 0 {
            let code = zmq_errno()
            guard code == EINTR else { throw TransportError(code: code, action: "wait") }
        }
        return try receive(into: &frames)
    }

    /// Returns 0, or the error.
    private func send(_ message: UnsafeMutablePointer<zmq_msg_t>, _ flags: Int32) -> Int32 {
        while zmq_msg_send(message, handle.raw, flags) < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return 0
    }
}

import TableModel
public import TableSync
import TableWire

// What a daemon says of itself: where it publishes, what it takes, since when it knows a client.

extension Client {
    /// What the daemon says of itself; it is asked once.
    public func hello(by deadline: Deadline = Deadline(inMilliseconds: 5_000)) throws -> Hello {
        if let known { return known }
        return try met(try ask(.hello, by: deadline))
    }

    /// `hello` without waiting; nil: the daemon has not answered yet. For programs that have other
    /// work: call it again and again, and ask nothing else until it has returned an answer.
    public func greeting() throws -> Hello? {
        if let known { return known }
        let now = Deadline(inMilliseconds: 0)
        while let reply = try receive(before: now, and: now) {
            switch reply.answer {
            case .hello, .refused: return try met(reply)
            default: continue
            }
        }
        // A request before the first connection waits for it. Only later requests can get lost.
        let isDue = greetedMs.map { hasConnected && monotonicMs() - $0 >= 1_000 } ?? true
        if isDue {
            greetedMs = monotonicMs()
            try send(readRequest(.hello, about: nil))
        }
        return nil
    }

    /// What the daemon takes: as its latest `hello` says, the defaults before it.
    public var limits: Limits { known?.limits ?? Limits() }

    func met(_ reply: Reply) throws -> Hello {
        switch reply.answer {
        case .hello(let hello):
            known = hello
            knownEpoch = reply.epoch
            writer.opened(at: hello.opened)
            writer.keep(to: hello.limits)
            return hello
        case .refused(let rejection): throw ClientError.protocolMismatch(rejection.message)
        default: throw ClientError.protocolMismatch("hello was not answered by hello")
        }
    }

    /// A daemon that was started anew may have other limits: it is asked, and nobody waits for the
    /// answer. True: this is the answer.
    func isAboutLimits(_ reply: Reply) throws -> Bool {
        if case .hello = reply.answer, reply.client == nil, let asked = helloAgain?.number,
            reply.number == asked
        {
            helloAgain = nil
            _ = try met(reply)
            // What waited for it has waited long enough.
            try sendDue()
            return true
        }
        // A remembered answer has the epoch in which it was given: so not more than once a second.
        if known != nil, reply.epoch != knownEpoch { try askHelloAgain() }
        return false
    }

    /// Asks for another `hello`, and waits for nothing. Not more than once a second.
    func askHelloAgain() throws {
        if let helloAgain, monotonicMs() - helloAgain.sentMs < 1_000 { return }
        let request = readRequest(.hello, about: nil)
        helloAgain = request.number.map { ($0, monotonicMs()) }
        try send(request)
    }
}

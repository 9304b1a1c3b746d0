import TableModel
public import TableSync

// What a daemon says of itself: where it publishes, what it takes, since when it knows a client.

extension Client {
    /// The daemon's description of itself; it is asked once.
    public func hello(by deadline: Deadline = Deadline(inMilliseconds: 5_000)) throws -> Hello {
        if let known { return known }
        while true {
            if let hello = try met(try ask(.hello, by: deadline)) { return hello }
            let rest = Deadline(inMilliseconds: ClientEndpoints.restMs)
            while try receive(before: rest, and: deadline) != nil {}
            if deadline.hasPassed { throw silence }
            try turn()
        }
    }

    /// `hello` without waiting; nil: the daemon has not answered yet. For programs that have other
    /// work: call it again and again, and ask nothing else until it has returned an answer: what else
    /// arrives is for nobody.
    public func greeting() throws -> Hello? {
        if let known { return known }
        let now = Deadline(inMilliseconds: 0)
        while let reply = try receive(before: now, and: now) {
            // A refusal of what could not be read has no number.
            guard reply.client == nil, let asked = helloAsked?.question.number,
                asked == reply.number ?? asked, case .refused = reply.answer
            else { continue }
            return try met(reply)
        }
        // A request before the first connection waits for it. Only later requests can get lost.
        if known == nil, helloAsked == nil || hasConnected { try askHello() }
        return known
    }

    /// The limits of the daemon: those of its latest `hello`, and the defaults before it.
    public var limits: Limits { known?.limits ?? Limits() }

    /// Takes the answer to `hello`. Nil: the daemon's term is older than one that was met, so nothing is asked of it.
    func met(_ reply: Reply) throws -> Hello? {
        switch reply.answer {
        case .hello(let hello):
            writer.isHeld = !places.isTaken(inTerm: hello.term, nowMs: monotonicMs())
            if writer.isHeld {
                known = nil
                return nil
            }
            known = hello
            knownEpoch = reply.epoch
            writer.opened(at: hello.opened)
            writer.keep(to: hello.limits)
            return hello
        case .refused(let rejection): throw ClientError.protocolMismatch(rejection.message)
        default: throw ClientError.protocolMismatch("hello was not answered by hello")
        }
    }

    /// Asks a restarted daemon for its limits, without waiting. True: this reply is the answer.
    func isAboutLimits(_ reply: Reply) throws -> Bool {
        if case .hello = reply.answer, reply.client == nil, let asked = helloAsked?.question.number,
            reply.number == asked
        {
            helloAsked = nil
            _ = try met(reply)
            // What waited for it has waited long enough.
            try sendDue()
            return true
        }
        // A remembered answer has the epoch in which it was given: so not more than once a second.
        if known != nil, reply.epoch != knownEpoch { try askHello() }
        return false
    }

    /// Asks for `hello`, and waits for nothing. Not more than once a second, and after a rest of another daemon where
    /// this one's term is too old.
    func askHello() throws {
        if places.isOutdated {
            guard places.hasRested(nowMs: monotonicMs()) else { return }
            try turn()
        } else if let helloAsked, monotonicMs() - helloAsked.sentMs < 1_000 {
            return
        }
        let question = helloAsked?.question ?? readRequest(.hello, about: nil)
        helloAsked = (question, monotonicMs())
        try send(question)
    }
}

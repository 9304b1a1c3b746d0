internal import TableModel
internal import TableSync

// The messages between a standby and the daemon that it follows.

extension Replicate {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "id", unlessEmpty: id)
        s.texts(2, "endpoints", endpoints)
        s.text(3, "version", unlessEmpty: version)
        s.number(4, "term", unlessZero: term)
        if let place { s.message(5, "place") { place.write(to: &$0) } }
        if let piece { s.message(6, "piece") { piece.write(to: &$0) } }
    }

    /// Others are shown its texts.
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Replicate {
        var asked = Replicate(id: "")
        while try s.more() {
            try s.text(1, "id", &asked.id)
            try s.texts(2, "endpoints", &asked.endpoints)
            try s.text(3, "version", &asked.version)
            try s.number(4, "term", &asked.term)
            try s.one(5, "place", &asked.place, JournalPlace.read(from:))
            try s.one(6, "piece", &asked.piece, Piece.read(from:))
        }
        guard 1...64 ~= asked.id.utf8.count, asked.id.utf8.allSatisfy(\.isPlain) else {
            throw Refusal(.badValue, "Expected 1 to 64 letters and digits.", "id")
        }
        guard asked.endpoints.count <= mostEndpoints, asked.endpoints.allSatisfy(\.isShort) else {
            throw Refusal(
                .badValue,
                "Expected at most \(mostEndpoints) texts of \(mostTextBytes) bytes, without spaces.",
                "endpoints")
        }
        guard asked.version.isShort else {
            throw Refusal(
                .badValue, "Expected at most \(mostTextBytes) bytes, without spaces.", "version")
        }
        return asked
    }
}

extension String {
    fileprivate var isShort: Bool {
        utf8.count <= Replicate.mostTextBytes && utf8.allSatisfy { 33...126 ~= $0 }
    }
}

extension UInt8 {
    fileprivate var isPlain: Bool { 48...57 ~= self || 65...90 ~= self || 97...122 ~= self }
}

extension JournalPlace {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.hex(1, "log", log)
        s.number(2, "position", unlessZero: position)
        s.hex(3, "chain", chain)
    }

    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> JournalPlace {
        var (log, chain): (UInt64?, UInt64?) = (nil, nil)
        var position: UInt64 = 0
        while try s.more() {
            try s.hex(1, "log", &log)
            try s.number(2, "position", &position)
            try s.hex(3, "chain", &chain)
        }
        return JournalPlace(
            log: try log.or(.notHex(16, "log")), position: position,
            chain: try chain.or(.notHex(16, "chain")))
    }
}

extension Replicate.Piece {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.number(1, "checkpoint", unlessZero: checkpoint)
        s.number(2, "offset", unlessZero: offset)
    }

    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var piece = Self(checkpoint: 0, offset: 0)
        while try s.more() {
            try s.number(1, "checkpoint", &piece.checkpoint)
            try s.number(2, "offset", &piece.offset)
        }
        return piece
    }
}

extension Replicated {
    /// The bytes of entries and of a piece of a copy.
    var contentBytes: Int { entries.reduce(copy?.content.count ?? 0) { $0 + $1.count } }

    func write<S: Sink>(to s: inout S) {
        s.number(1, "term", unlessZero: term.number)
        s.number(2, "began", unlessZero: term.began)
        s.number(3, "position", unlessZero: position)
        s.bytes(4, "entries", all: entries)
        s.hex(5, "chain", chain)
        guard let copy else { return }
        s.message(6, "copy", about: copy.content.count) { s in
            s.message(1, "place") { copy.place.write(to: &$0) }
            s.message(2, "piece") { copy.piece.write(to: &$0) }
            s.number(3, "size", unlessZero: copy.size)
            if !copy.content.isEmpty { s.bytes(4, "content", copy.content[...]) }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Replicated {
        var (some, chain) = (Replicated(), UInt64?.none)
        some.term.number = 0
        while try s.more() {
            try s.number(1, "term", &some.term.number)
            try s.number(2, "began", &some.term.began)
            try s.number(3, "position", &some.position)
            try s.bytes(4, "entries", all: &some.entries)
            try s.hex(5, "chain", &chain)
            try s.one(6, "copy", &some.copy, Copy.read(from:))
        }
        some.chain = try chain.or(.notHex(16, "chain"))
        return some
    }
}

extension Replicated.Copy {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (place, piece): (JournalPlace?, Replicate.Piece?) = (nil, nil)
        var (size, content): (UInt64, [UInt8]?) = (0, nil)
        while try s.more() {
            try s.one(1, "place", &place, JournalPlace.read(from:))
            try s.one(2, "piece", &piece, Replicate.Piece.read(from:))
            try s.number(3, "size", &size)
            try s.bytes(4, "content", &content)
        }
        return Self(
            place: try place.or(.missing("place")), piece: try piece.or(.missing("piece")),
            size: size, content: content ?? [])
    }
}

extension Promotion {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "term", shown: term)
        s.number(2, "position", shown: position)
        s.number(3, "missing", shown: missing)
        s.number(4, "silentMs", shown: silentMs)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Promotion {
        var promotion = Promotion()
        while try s.more() {
            try s.number(1, "term", &promotion.term)
            try s.number(2, "position", &promotion.position)
            try s.number(3, "missing", &promotion.missing)
            try s.number(4, "silentMs", &promotion.silentMs)
        }
        return promotion
    }
}

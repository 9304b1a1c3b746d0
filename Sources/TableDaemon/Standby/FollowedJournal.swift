import Logging
import TableJournal
import TableModel
import TableSync
import TableTransport

/// The journal of a standby: a log of its own, which grows by the entries of the daemon that it follows. The turn
/// around it follows as in a service of several daemons. When the standby is promoted, it is an ordinary log.
///
/// `FollowedStore.swift` has what it does as a journal.
final class FollowedJournal {
    /// The part of this daemon beside the one that is named in its configuration.
    enum Standing: Equatable {
        /// Nothing was heard of that one, so nobody knows whether what is here fits.
        case unverified
        /// The entries that are here are a part of those that it wrote.
        case following
        /// It was promoted, and writes in this term.
        case leading(UInt64)
    }

    let directory: StateDirectory
    let settings: FollowSettings
    let log: Logger
    private let duty: DutyFile
    private let reading: LongReading
    /// A question with who asks, under an id that is drawn at the start.
    private var asking = Replicate(id: "\(ID128.random())")
    var local: LogJournal
    private var link: FollowLink?
    private(set) var standing = Standing.unverified
    /// The term that the tables here are written in. The daemon says it, which knows what entries mean.
    var reign = Server.Term()
    /// The news that the turn has not taken yet.
    var untaken = News()
    var hasRoom = true
    private var copy: CopiedLog?
    /// The entries that are here do not fit any more.
    private var wantsCopy = false
    private(set) var other = Other()

    /// News for the turn.
    struct News {
        /// Entries that are durable here.
        var entries: [(position: UInt64, bytes: [UInt8])] = []
        /// The log was replaced.
        var isReplaced = false
    }

    /// The daemon that is followed, as far as it was heard of.
    struct Other {
        /// When a question was asked that was answered last; 0: none was.
        fileprivate(set) var heardMs: UInt64 = 0
        /// When this daemon had all that the other one told of.
        fileprivate var caughtUpMs = Clock.elapsedMs
        /// The newest entry of the other one, as it said.
        fileprivate(set) var position: UInt64 = 0
        /// Why it is not followed now, as it was said last.
        fileprivate var trouble = ""
    }

    /// Without an answer for so long, what is here may be out of date.
    private static let currentMs: UInt64 = 3_000
    /// A daemon that has answered so lately is there: its standby is not promoted.
    private static let aliveMs: UInt64 = 1_500
    private static let restMs: UInt64 = 1_000
    private static let fencingMs: UInt64 = 2_000

    init(
        _ settings: FollowSettings, _ directory: StateDirectory, endpoints: [String],
        _ log: Logger, _ reading: LongReading
    ) throws {
        (self.settings, self.directory, self.log) = (settings, directory, log)
        (self.reading, duty) = (reading, DutyFile(directory))
        asking.endpoints = settings.advertise.isEmpty ? endpoints : settings.advertise
        asking.version = Daemon.programVersion
        if let apart = try CopiedLog.settle(in: directory) {
            log.warning("an older journal was set apart", metadata: ["at": "\(apart)"])
            // The copy was whole, so it is one.
            try duty.write(.following)
        }
        local = try LogJournal(directory: directory, goesOn: reading.goesOn)
        switch try duty.read() {
        case .none, .fenced: standing = .unverified
        case .following, .promoting: standing = .following
        case .leading(let term): standing = .leading(term)
        }
    }

    /// Says what was found at the opening.
    func tellWarnings() {
        for warning in local.warnings { log.warning("journal", metadata: ["at": "\(warning)"]) }
    }

    /// The tables are recovered: a promotion that had begun is done if its entry is there.
    func recovered(in term: Server.Term) throws {
        reign = term
        if case .promoting(let number) = try duty.read() {
            standing = term.number >= number ? .leading(number) : .following
            try duty.write(term.number >= number ? .leading(number) : .following)
        }
    }

    /// Connects to the daemon that is followed.
    func connect(in context: Context, secret: CurveKey?) throws {
        link = try FollowLink(settings, in: context, secret: secret)
    }

    var descriptor: Int32? { link?.descriptor }

    var isLeading: Bool { if case .leading = standing { true } else { false } }

    /// The other daemon has answered of late, and what is here is a part of what it wrote.
    var isInTouch: Bool {
        standing == .following && copy == nil && other.heardMs > 0
            && Clock.elapsedMs < other.heardMs + Self.currentMs
    }

    /// Entries of the other daemon that it told of and that are not here.
    var lag: UInt64 { isLeading ? 0 : max(other.position, local.durable) - local.durable }

    /// For how long this daemon has not had all that the other one has.
    var lagMs: UInt64 {
        isLeading || lag == 0 && isInTouch
            ? 0 : Clock.elapsedMs - min(other.caughtUpMs, Clock.elapsedMs)
    }

    // MARK: What it asks and hears

    /// Takes what was answered, and asks for more.
    func work() throws {
        let nowMs = Clock.elapsedMs
        while let (answer, askedMs) = try link?.receive() {
            try take(answer, askedMs: askedMs, nowMs: nowMs)
        }
        // Without room on the disk nothing more is taken; the other daemon does not wait for it.
        guard hasRoom || isLeading, link?.isDue(nowMs) == true else { return }
        try link?.ask(.replicate(question), nowMs: nowMs)
        // To send may take the descriptor's signal.
        while let (answer, askedMs) = try link?.receive() {
            try take(answer, askedMs: askedMs, nowMs: nowMs)
        }
        if !isLeading, let trouble = link?.trouble { tell(trouble) }
    }

    private var question: Replicate {
        var asked = asking
        asked.term = reign.number
        if let copy {
            asked.piece = .init(checkpoint: copy.checkpoint, offset: UInt64(copy.count))
        } else if !wantsCopy {
            asked.place = JournalPlace(local.place)
        }
        return asked
    }

    private func take(_ answer: Reply.Answer, askedMs: UInt64, nowMs: UInt64) throws {
        switch answer {
        case .replicated(let some):
            if isLeading {
                link?.rest(Self.fencingMs, nowMs: nowMs)
                if some.term.number > reign.number { try stepDown(some.term.number) }
            } else if some.term.number < reign.number {
                tell(
                    "\(settings.endpoint) writes in term \(some.term.number), and term "
                        + "\(reign.number) is known here: it is not followed")
                link?.rest(Self.restMs, nowMs: nowMs)
            } else {
                try take(some, askedMs: askedMs, nowMs: nowMs)
            }
        case .refused(let rejection):
            // A leader asks only so that a daemon of an older term stops writing.
            if !isLeading {
                tell(rejection.message)
            } else if rejection.code == .conflict {
                tell(
                    "\(settings.endpoint) writes in an older term, and its log is not the one that was copied: it "
                        + "does not stop writing")
            }
            link?.rest(isLeading ? Self.fencingMs : Self.restMs, nowMs: nowMs)
        default: link?.rest(Self.restMs, nowMs: nowMs)
        }
    }

    private func take(_ some: Replicated, askedMs: UInt64, nowMs: UInt64) throws {
        (other.heardMs, other.position, other.trouble) = (askedMs, some.position, "")
        if let piece = some.copy { return try take(piece, some, nowMs: nowMs) }
        guard try local.submit(copied: some.entries, leadingTo: some.chain) else {
            log.error(
                "the entries do not fit what is here: a new copy is taken",
                metadata: ["behind": "\(local.durable)"])
            wantsCopy = true
            link?.rest(Self.restMs, nowMs: nowMs)
            return
        }
        let first = local.durable - UInt64(some.entries.count) + 1
        for (place, entry) in some.entries.enumerated() {
            untaken.entries.append((first + UInt64(place), entry))
        }
        copy = nil
        if local.durable >= some.position { other.caughtUpMs = askedMs }
        try becomeFollowing()
    }

    private func becomeFollowing() throws {
        guard standing != .following else { return }
        try duty.write(.following)
        standing = .following
        log.notice(
            "following \(settings.endpoint)",
            metadata: ["position": "\(local.durable)", "of": "\(other.position)"])
    }

    /// Takes a piece of a copy. The first one begins it anew.
    private func take(_ piece: Replicated.Copy, _ some: Replicated, nowMs: UInt64) throws {
        let at = piece.piece
        if at.offset == 0 {
            guard let size = Int(exactly: piece.size) else { return giveUpCopy(nowMs) }
            log.notice(
                "taking a copy of \(settings.endpoint)",
                metadata: [
                    "bytes": "\(size)", "position": "\(piece.place.position)",
                    "here": "\(local.durable)",
                ])
            copy = try CopiedLog(
                in: directory, LogPlace(piece.place), checkpoint: at.checkpoint, size: size)
        }
        guard let copy, copy.checkpoint == at.checkpoint, UInt64(copy.count) == at.offset,
            try copy.add(piece.content), copy.isWhole || !piece.content.isEmpty
        else { return giveUpCopy(nowMs) }
        guard copy.isWhole else { return }
        guard try copy.finish() else { return giveUpCopy(nowMs) }
        try replace(some.term)
    }

    private func giveUpCopy(_ nowMs: UInt64) {
        tell("a piece of the copy of \(settings.endpoint) does not fit: it begins anew")
        copy = nil
        wantsCopy = true
        link?.rest(Self.restMs, nowMs: nowMs)
    }

    /// The copy takes the place of what was here, which is set apart unless it is nothing.
    private func replace(_ theirs: Server.Term) throws {
        let old = local.place
        try local.close()
        if let apart = try CopiedLog.settle(in: directory) {
            if old.position == 0 {
                try CopiedLog.remove(apart: apart)
            } else {
                // Entries of this daemon behind the last that both have.
                let extra =
                    theirs.number > reign.number && 1...old.position ~= theirs.began
                    ? old.position - (theirs.began - 1) : 0
                log.warning(
                    "what was here was set apart: \(extra) of its entries are not in the copy",
                    metadata: ["at": "\(apart)", "position": "\(old.position)"])
            }
        }
        local = try LogJournal(directory: directory, goesOn: reading.goesOn)
        (copy, wantsCopy) = (nil, false)
        untaken = News(isReplaced: true)
        try becomeFollowing()
    }

    /// One line for each trouble.
    private func tell(_ fresh: String) {
        if fresh != other.trouble { log.warning("\(fresh)") }
        other.trouble = fresh
    }

    // MARK: Promotion

    /// Why this daemon is not promoted now; nil: it may be.
    var refusalOfPromotion: String? {
        switch standing {
        case .leading(let term):
            return "This daemon was promoted already: it writes in term \(term)."
        case .unverified:
            return "This daemon has no copy of what \(settings.endpoint) wrote."
        case .following: break
        }
        if let copy { return "A new copy is not complete: \(copy.count) of \(copy.size) bytes." }
        if wantsCopy { return "What is here does not fit what \(settings.endpoint) wrote." }
        if other.heardMs > 0, Clock.elapsedMs < other.heardMs + Self.aliveMs {
            return "The daemon at \(settings.endpoint) answers: stop it first."
        }
        return nil
    }

    /// Makes this daemon the one that writes. `entry` begins the new term, and `term` says which.
    func promote(_ entry: [UInt8], _ term: UInt64) throws -> Promotion {
        var promotion = Promotion()
        (promotion.term, promotion.position) = (term, local.durable)
        promotion.missing = lag
        promotion.silentMs =
            other.heardMs == 0 ? 0 : Clock.elapsedMs - min(other.heardMs, Clock.elapsedMs)
        try duty.write(.promoting(term))
        try local.submit(entry, position: local.durable + 1, term: local.term ?? 1)
        try duty.write(.leading(term))
        untaken.entries.append((local.durable, entry))
        standing = .leading(term)
        return promotion
    }

    /// Another daemon writes in a newer term.
    func stepDown(_ newer: UInt64) throws {
        log.warning(
            "another daemon writes in term \(newer): this one follows from now on",
            metadata: ["term": "\(reign.number)"])
        try duty.write(.none)
        standing = .unverified
        other.heardMs = 0
        // Nothing is kept here for standbys any more: nobody would say when they have it.
        (local.kept.after, local.kept.checkpoint) = (nil, nil)
    }
}

extension JournalPlace {
    init(_ place: LogPlace) {
        self.init(log: place.log, position: place.position, chain: place.chain)
    }
}

extension LogPlace {
    init(_ place: JournalPlace) {
        self.init(log: place.log, position: place.position, chain: place.chain)
    }
}

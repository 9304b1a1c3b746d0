import TableModel

// A snapshot: its chunks, some at a time, then the digest.

extension Replica {
    /// Starts to pull a snapshot, unless one is being pulled.
    func pullUnlessPulling() {
        if case .pulling = phase { return }
        pull()
    }

    /// Starts to pull a snapshot of the present state.
    func pull() {
        var pull = Pull(heardMs: nowMs)
        pull.asked = 1
        ask(for: 0, of: &pull)
        phase = .pulling(pull)
        retry.backOff(nowMs)
    }

    /// Asks once more for the chunks that did not come. On a slow link they are only late: what has come is
    /// kept, and an answer to either question is good.
    func pullAgain(_ old: Pull) {
        guard old.asked > 0, nowMs - old.heardMs < Self.letGoMs else { return pull() }
        var pull = old
        for chunk in pull.missing { ask(for: chunk, of: &pull) }
        phase = .pulling(pull)
        retry.backOff(nowMs)
    }

    private func ask(for chunk: Int, of pull: inout Pull) {
        pull.tags[ask(.snapshot(id: pull.id, chunk: chunk))] = chunk
    }

    /// Begins anew, but not at once: that would be a loop at the speed of the network.
    func pullLater() {
        phase = .pulling(Pull(heardMs: nowMs))
        retry.backOff(nowMs)
    }

    func pulled(_ reply: Reply, tag: UInt64, _ old: Pull) {
        var pull = old
        let asked = pull.tags.removeValue(forKey: tag)
        let chunk: SnapshotChunk
        switch reply.answer {
        case .snapshot(let part): chunk = part
        case .refused(let rejection) where rejection.code == .noSuchTable: return gone()
        case .refused(let rejection) where rejection.code == .noSuchSnapshot: return pullLater()
        // The daemon is busy: a later tick asks again.
        default: return
        }
        guard asked == chunk.chunk else { return }
        pull.heardMs = nowMs
        // The first of two answers counts: the other may be of another snapshot.
        if pull.takes(chunk.chunk) {
            if epoch != reply.epoch {
                epoch = reply.epoch
                ahead.diffs = []
            }
            pull.history = pull.history ?? reply.history
            do throws(Mismatch) {
                try pull.take(chunk, of: name)
            } catch { return broken("a snapshot does not fit together: \(error)") }
            if pull.next >= pull.chunks { return install(pull) }
        }
        while pull.asked < pull.chunks, pull.missing.count < Self.credit {
            ask(for: pull.asked, of: &pull)
            pull.asked += 1
        }
        phase = .pulling(pull)
        retry.set(nowMs)
    }

    private func install(_ pull: Pull) {
        guard let fresh = pull.building, fresh.digest == pull.digest else {
            return broken("a snapshot's digest differs")
        }
        table = fresh
        phase = .live
        calm()
        steps.append(.installed)
        if ahead.history != fresh.history { (ahead.diffs, ahead.revision) = ([], 0) }
        takeWaiting()
    }
}

extension Replica {
    /// A snapshot on its way.
    struct Pull {
        var id: String?
        var history: ID128?
        private(set) var building: Table?
        private(set) var digest: UInt64 = 0
        private(set) var chunks = 1
        /// The first chunk that is not in `building`.
        private(set) var next = 0
        /// So many chunks were asked for; 0: nothing was.
        var asked = 0
        /// The questions by tag, with the chunk that each asks for. A chunk may be asked for more than once.
        var tags: [UInt64: Int] = [:]
        private var arrived: [Int: SnapshotChunk] = [:]
        /// When the latest chunk came, or it began.
        var heardMs: UInt64

        init(heardMs: UInt64) { self.heardMs = heardMs }

        /// The chunks that were asked for and did not come.
        var missing: [Int] { (next..<asked).filter { arrived[$0] == nil } }

        /// Whether a chunk is not here yet.
        func takes(_ chunk: Int) -> Bool { chunk >= next && arrived[chunk] == nil }

        /// Takes a chunk in, and goes on with the table as far as its chunks are here.
        mutating func take(_ chunk: SnapshotChunk, of name: TableID) throws(Mismatch) {
            arrived[chunk.chunk] = chunk
            while let part = arrived.removeValue(forKey: next) {
                try add(part, of: name)
                next += 1
            }
        }

        private mutating func add(_ part: SnapshotChunk, of name: TableID) throws(Mismatch) {
            if part.chunk == 0 {
                guard let history else { throw .op("no history is named") }
                id = part.id
                digest = part.digest
                chunks = part.chunks
                building = Table(
                    restoring: name, history: history, revision: part.revision, kinds: part.kinds,
                    settings: part.settings ?? Settings(), removedPlaces: 0)
                building?.reserve(part.rows)
                building?.restoreEditing(part.isEditing)
            }
            guard part.id == id, let table = building else {
                throw .op("a chunk of another snapshot")
            }
            for invocation in part.invocations { table.restore(invocation) }
            for slice in part.slices {
                try table.appendSection(slice.section, title: slice.title)
                try table.appendRows(slice.rows, to: slice.section)
            }
        }
    }
}

import TableModel
import TableSync

extension Generator {
    mutating func each() -> Command.Each {
        let verb: Command.Verb
        switch below(8) {
        case 0: verb = .set(Command.Each.noRow, changes())
        case 1: verb = .remove(.none, hint: hint())
        case 2:
            verb = .move(
                .none, section: maybe { $0.id() }, anchor(), flag() ? .strict : .rebase)
        case 3:
            verb = .act(
                Command.Act(
                    id(), on: Command.Each.noRow, item: maybe { $0.id() }, edge: edge(),
                    isFull: flag(), isConfirmed: flag()))
        case 4: verb = .recall(.none)
        case 5:
            verb = .retry(
                Command.Each.noRow, action: maybe { $0.id() }, item: maybe { $0.id() })
        case 6: verb = .snooze(.none, maybe { $0.snooze() })
        default: verb = .claim(.none, note: text(), ttlSeconds: maybe { $0.points() })
        }
        return Command.Each(
            verb, where: text(), section: maybe { $0.id() }, limit: maybe { $0.smallCount() })
    }

    mutating func saying() -> Saying { Saying("after.removed", ["row": text(), "gone": ""]) }

    mutating func endedLease() -> Presence.Ended {
        Presence.Ended(id(), text(), maybe { $0.saying() }, isDropped: flag())
    }

    mutating func filter() -> HistoryFilter {
        HistoryFilter(
            before: maybe { $0.number() }, most: smallCount(), row: maybe { $0.id() },
            actor: maybe { $0.id() }, verb: maybe { $0.text() }, fromMs: maybe { $0.number() },
            toMs: maybe { $0.number() })
    }

    mutating func owners() -> Owners {
        Owners(
            claims: [id(): ProvenID(id())], invocations: [invocationID(): ProvenID(id())],
            ended: list {
                EndedClaim(
                    row: $0.id(), ClaimMark(holder: $0.id(), sinceMs: $0.number()),
                    user: ProvenID($0.id()))
            },
            editor: maybe { one in
                Editor(
                    actor: one.id(), client: one.maybe { $0.id() },
                    user: one.maybe { ProvenID($0.id()) })
            })
    }

    mutating func log() -> CheckpointPart.Log {
        let changes = list {
            EncodedChange(diff: $0.bytes(), inverse: $0.maybe { $0.bytes() })
        }
        return .init(
            changes: changes, redos: changes.indices.filter { _ in flag() },
            partial: changes.indices.filter { _ in flag() },
            digest: maybe { $0.number() })
    }

    mutating func answered() -> Sessions.Answered {
        Sessions.Answered(number: number(), requestHash: number(), reply: bytes())
    }

    mutating func staged() -> Ready.Record {
        let user = maybe { ProvenID($0.id()) }
        return .staged(client: id(), user: user, index: smallCount(), part: bytes())
    }

    mutating func audited() -> AuditEntry {
        var entry = AuditEntry(
            user: text(), uid: maybe { UInt32($0.below(70_000)) }, from: text(), verb: text(),
            table: text(), one(AuditEntry.Outcome.self), code: text(), detail: text())
        (entry.number, entry.timeMs, entry.suppressed) = (number(), number(), number())
        entry.name = text()
        return entry
    }

    mutating func connectionSummary() -> ConnectionSummary {
        var one = ConnectionSummary(id: text(), from: text())
        (one.user, one.uid) = (maybe { $0.text() }, maybe { UInt32($0.below(70_000)) })
        (one.sinceMs, one.receivedBytes, one.sentBytes) = (number(), number(), number())
        (one.waitingBytes, one.unreadMs, one.topics) = (number(), number(), smallCount())
        (one.subscribes, one.isSealed, one.tables) = (flag(), flag(), list { $0.text() })
        return one
    }
}

extension Generator {
    /// A checkpoint's memory of rows.
    mutating func rowMemory() -> CheckpointPart {
        return .removed(
            list {
                RemovedPlaces.Entry(
                    row: $0.id(), section: $0.id(), after: $0.maybe { $0.id() },
                    performed: $0.deeds(), revision: $0.number())
            },
            recent: list {
                RecentDeeds.Entry(
                    row: $0.id(), deed: Deed($0.id(), on: $0.maybe { $0.id() }),
                    revision: $0.number(), timeMs: $0.number(), hasFailed: $0.flag())
            },
            lifted: list {
                ClosedSwipe(
                    row: $0.id(), edge: $0.flag() ? .leading : .trailing, holder: $0.id(),
                    user: $0.maybe { ProvenID($0.id()) })
            })
    }

    mutating func page() -> HistoryPage {
        var page = HistoryPage(
            changes: list {
                .init(
                    revision: $0.number(), cause: $0.cause(), undoneBy: $0.maybe { $0.number() },
                    rows: $0.list { $0.id() }, text: $0.text(),
                    sayings: $0.list { $0.saying() })
            }, oldest: number(),
            keeps: Retention(diffs: count(), bytes: count(), seconds: number()),
            leaving: maybe { $0.number() })
        page.next = maybe { $0.number() }
        return page
    }

    mutating func request() -> Request {
        var request = Request(
            client: maybe { $0.id() }, number: maybe { $0.number() },
            opened: maybe { $0.number() }, table: "inbox", name: maybe { $0.id() },
            atMs: maybe { $0.number() }, requestVerb())
        if flag() { request.zoneSeconds = below(172_801) - 86_400 }
        return request
    }

    mutating func query() -> Query {
        var query = Query()
        (query.condition, query.sort) = (maybe { $0.text() }, maybe { $0.text() })
        (query.by, query.sum) = (maybe { $0.text() }, maybe { $0.text() })
        (query.sections, query.row) = (list { $0.id() }, maybe { $0.id() })
        query.most = below(Query.mostRows + 1)
        return query
    }

    mutating func found() -> Found {
        var found = Found()
        (found.count, found.sum) = (count(), maybe { $0.points() })
        found.groups = list { some in
            let values: [Found.Group.Value?] = [
                nil, .text(some.text()), .number(some.points()), .flag(some.flag()),
            ]
            return .init(
                values[some.below(4)], rows: some.count(), sum: some.maybe { $0.points() })
        }
        found.rows = list { PlacedRow($0.row(), section: $0.id(), index: $0.count()) }
        (found.kinds, found.invocations) = (list { $0.kind() }, list { $0.invocation() })
        return found
    }

    mutating func rewindStep() -> RewindStep {
        RewindStep(revision: number(), digest: number(), ops: list { $0.backOp() })
    }
}

// MARK: Claims, sleep and pauses

extension Generator {
    mutating func claim() -> Claim {
        Claim(holder: id(), note: text(), ttlSeconds: maybe { $0.points() }, sinceMs: time())
    }

    mutating func sleep() -> Row.Sleep { Row.Sleep(untilMs: number(), isToTop: flag()) }

    mutating func pause() -> Pause {
        let scope = Pause.Scope(section: maybe { $0.id() }, action: maybe { $0.id() })
        return Pause(scope, by: id(), note: text(), sinceMs: time())
    }

    mutating func snooze() -> Command.Snooze {
        Command.Snooze(flag() ? .at(number()) : .after(number()), isToTop: flag())
    }
}

// MARK: Standbys
extension Generator {
    mutating func histories() -> Ready.Record {
        let tables = list { Ready.Record.Restored(table: $0.id(), history: $0.id128()) }
        return flag() ? .restored(tables) : .promoted(term: number(), tables)
    }

    private mutating func place() -> JournalPlace {
        JournalPlace(log: number(), position: number(), chain: number())
    }

    private mutating func piece() -> Replicate.Piece {
        Replicate.Piece(checkpoint: number(), offset: number())
    }

    mutating func replicate() -> Replicate {
        var asked = Replicate(id: "a\(below(1_000))")
        asked.endpoints = list(0...3) { "tcp://10.0.0.\($0.below(200)):7571" }
        (asked.version, asked.term) = (flag() ? "1.0.0" : "", number())
        (asked.place, asked.piece) = (maybe { $0.place() }, maybe { $0.piece() })
        return asked
    }

    mutating func replicated() -> Replicated {
        var some = Replicated()
        some.term = Server.Term(number: number(), began: number())
        (some.position, some.entries, some.chain) = (number(), list { $0.bytes() }, number())
        some.copy = maybe {
            .init(place: $0.place(), piece: $0.piece(), size: $0.number(), content: $0.bytes())
        }
        return some
    }

    mutating func promotion() -> Promotion {
        var promotion = Promotion()
        (promotion.term, promotion.position) = (number(), number())
        (promotion.missing, promotion.silentMs) = (number(), number())
        return promotion
    }
}

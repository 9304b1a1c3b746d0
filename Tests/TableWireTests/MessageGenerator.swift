import TableModel
import TableSync
import TableWire

extension Generator {
    mutating func command() -> Command {
        let verb = commandVerb()
        return Command(
            verb, ifRevision: maybe { $0.number() }, ifVersion: maybe { $0.number() },
            ifClaimed: below(4) == 0, if: below(4) == 0 ? condition(on: verb) : nil)
    }

    private mutating func condition(on verb: Command.Verb) -> CommandCondition? {
        try? CommandCondition("count(rows) > \(below(9)) and now > 1h", on: verb)
    }

    private mutating func historyVerb() -> Command.Verb {
        switch below(6) {
        case 5:
            var next = Command.Next(action: maybe { $0.id() }, section: maybe { $0.id() })
            (next.condition, next.most) = (maybe { RowCondition($0.text()) }, smallCount())
            (next.ttlSeconds, next.note) = (points(), text())
            next.waitSeconds = maybe { Double($0.smallCount()) } ?? 0
            return .next(next)
        case 0:
            return .claim(
                Few(list(1...3) { $0.id() }), note: text(), ttlSeconds: maybe { $0.points() })
        case 1: return .unclaim(Few(list { $0.id() }), holder: maybe { $0.id() })
        case 2: return .undo(revision: maybe { $0.number() }, mine: flag())
        case 3: return .redo(mine: flag())
        default: return .recall(Few(list(1...3) { $0.id() }))
        }
    }

    private mutating func commandVerb() -> Command.Verb {
        switch below(27) {
        case 26: return .retry(id(), action: maybe { $0.id() }, item: maybe { $0.id() })
        case 25:
            let scope = Pause.Scope(section: maybe { $0.id() }, action: maybe { $0.id() })
            return .pause(scope, note: maybe { $0.text() })
        case 24:
            return .snooze(Few(list(1...3) { $0.id() }), maybe { $0.snooze() })
        case 23: return .each(each())
        case 22: return .mark(maybe { $0.id() }, item: maybe { $0.id() })
        case 19...21: return historyVerb()
        case 15: return .expandAll(flag())
        case 16: return .item(id(), itemChange())
        case 17: return .scroll(id(), scroll())
        case 18: return .select(id(), item: maybe { $0.id() })
        case 10:
            return .act(
                Command.Act(
                    id(), on: id(), item: maybe { $0.id() }, edge: edge(), isFull: flag(),
                    isConfirmed: flag()))
        case 11: return .edit(flag())
        case 12: return .take(action: maybe { $0.id() }, atMost: smallCount())
        case 13: return .release(invocationID())
        case 14: return .finish(invocationID(), outcome())
        case 0:
            return .add(
                Command.Add(
                    id: maybe { $0.id() }, content(), section: maybe { $0.id() }, at: anchor(),
                    carrying: below(4) == 0 ? carried() : nil,
                    startingIn: below(4) == 0 ? expansion() : nil, hint: hint()))
        case 1: return .set(id(), changes())
        case 2: return .remove(Few(list(1...3) { $0.id() }), hint: hint())
        case 3:
            return .move(
                Few(list(1...3) { $0.id() }), section: maybe { $0.id() }, anchor(),
                flag() ? .strict : .rebase)
        case 4: return .swap(id(), id())
        case 5: return .swipe(id(), edge())
        case 6: return .expand(id(), maybe { $0.expansion() })
        case 7: return .define(flag() ? definitions() : partialDefinitions())
        case 8: return .section(id(), title: maybe { $0.text() })
        default: return .removeSection(id())
        }
    }

    private mutating func explained() -> Request.Verb {
        switch below(4) {
        case 0: return .explain(.create)
        case 1: return .explain(.drop)
        case 2: return .explain(.batch(list { $0.command() }, ifRevision: maybe { $0.number() }))
        default: return .explain(.command(command()))
        }
    }

    mutating func drag() -> Drag {
        switch below(5) {
        case 0: return .lift(list(1...3) { $0.id() }, ttlSeconds: points())
        case 1: return .hover(lease: id(), section: maybe { $0.id() }, anchor())
        case 2:
            return .drop(
                lease: id(), section: maybe { $0.id() }, anchor(), flag() ? .strict : .rebase)
        case 3: return .cancel(lease: id())
        default: return .renew(lease: id())
        }
    }

    mutating func requestVerb() -> Request.Verb {
        let plain: [Request.Verb] = [
            .hello, .tables, .kinds, .health, .stats, .check, .renew, .create, .drop, .stepDown,
            .connections, .endConnection(text()),
        ]
        switch below(24) {
        case 23: return flag() ? .replicate(replicate()) : .promote
        case 22: return .forget(list { $0.id() })
        case 21: return .audit(most: 1 + below(AuditTrail.mostEntries))
        case 20: return .backup(id: maybe { $0.id().text }, chunk: below(1_000))
        case 19:
            return .restore(
                flag()
                    ? .parts(list { $0.bytes() }, index: smallCount())
                    : .finish(parts: smallCount(), replaces: flag()))
        case 18: return explained()
        case 13: return .drag(drag())
        case 14: return .attend(revision: number(), isLeaving: flag())
        case 15: return flag() ? .who : .query(query())
        case 16: return .history(filter())
        case 17: return .rewind(history: id128(), since: number(), to: number())
        case 0: return .snapshot(id: maybe { $0.id().text }, chunk: below(1_000))
        case 1: return .replay(history: id128(), since: number())
        case 2: return .offer(history: id128(), revision: number(), digest: number())
        case 3: return .batch(list { $0.command() }, ifRevision: maybe { $0.number() })
        case 4...7: return .command(command())
        default: return plain[below(plain.count)]
        }
    }
}

// MARK: Diffs and publications

extension Generator {
    mutating func op() -> Op {
        switch below(28) {
        case 25: return .came(id(), from: maybe { $0.id() })
        case 26: return .rest(invocationID(), maybe { $0.failure() })
        case 27: return .sleep(id(), maybe { $0.sleep() })
        case 24: return .mark(id(), maybe { $0.selection() })
        case 21: return .claim(id(), maybe { $0.claim() })
        case 22: return .restore(id(), traces())
        case 23: return .invocation(invocationID(), maybe { $0.invocation() })
        case 17: return .expandAll(flag())
        case 18: return .item(id(), itemStep())
        case 19: return .scroll(id(), maybe { $0.scroll() })
        case 20: return .select(id(), item: maybe { $0.id() })
        case 11: return .perform(id(), performance())
        case 12: return .invoke(invocation())
        case 13: return .take(invocationID(), by: id())
        case 14: return .release(invocationID())
        case 15: return .finish(invocationID(), outcome())
        case 16: return .edit(flag())
        case 0: return .insert(row(version: false), place(), hint: hint())
        case 1: return .remove(id(), hint: hint())
        case 2: return .move(Few(list(1...3) { $0.id() }), place())
        case 3: return .set(id(), changes())
        case 4: return .swipe(id(), edge())
        case 5: return .expand(id(), expansion())
        case 6: return .swap(id(), id())
        case 7: return .insertSection(id(), title: text(), after: maybe { $0.id() })
        case 8: return .removeSection(id())
        case 9: return .setSection(id(), title: text())
        default: return .define(definitions())
        }
    }

    mutating func diff() -> Diff {
        Diff(
            base: number(), digest: number(), cause: cause(), ops: list { $0.op() })
    }

    mutating func cause() -> Cause {
        Cause(
            client: maybe { $0.id() }, number: maybe { $0.number() }, verb: "move",
            name: maybe { $0.id() }, timeMs: time(), undoes: maybe { $0.number() },
            user: maybe { ProvenID($0.id()) })
    }

    /// A step of an inverse: rows come with versions of their own.
    mutating func backOp() -> Op { flag() ? op() : .insert(row(), place()) }

    mutating func head() -> Head { Head(revision: number(), digest: number(), oldest: number()) }

    mutating func publication() -> Publication {
        let table = id()
        switch below(5) {
        case 0:
            return Publication(table: table, history: id128(), epoch: id128(), welcome: head())
        case 1: return Publication(table: table, history: nil, epoch: id128(), isWelcome: true)
        case 2:
            return Publication(
                table: table, history: id128(), epoch: id128(), timeMs: number(), heartbeat: head())
        case 3:
            return Publication(
                table: table, history: id128(), epoch: id128(), timeMs: number(), isDropped: true)
        default:
            return Publication(
                table: table, history: id128(), epoch: id128(), timeMs: maybe { $0.number() },
                diffs: list { $0.diff() })
        }
    }
}

// MARK: What passes

extension Generator {
    mutating func lease() -> Lease {
        Lease(
            id: id(), holder: id(), rows: list { $0.id() }, ttlSeconds: points(),
            hover: maybe { g in Lease.Hover(section: g.maybe { $0.id() }, g.anchor()) },
            user: maybe { $0.id() })
    }

    mutating func attendant() -> Attendant {
        Attendant(
            client: id(), name: maybe { $0.id() }, sinceMs: number(), revision: number(),
            lag: number(), user: maybe { $0.id() })
    }

    mutating func presence() -> Presence {
        Presence(
            table: id(), epoch: id128(), leases: maybe { $0.list { $0.lease() } },
            viewers: maybe { $0.list { $0.attendant() } },
            ended: list { $0.endedLease() })
    }
}

// MARK: Replies

extension Generator {
    mutating func rejection() -> Rejection {
        var rejection = Rejection(one(Rejection.Code.self), text(), field: maybe { $0.text() })
        rejection.command = maybe { $0.smallCount() }
        if let field = rejection.field { rejection.endpoints = [field, rejection.message] }
        rejection.saying = rejection.field.map { Saying("of", ["field": $0, "none": ""]) }
        return rejection
    }

    mutating func landing() -> Landing {
        Landing(
            row: id(), section: maybe { $0.id() }, index: maybe { $0.smallCount() },
            after: maybe { $0.id() }, version: maybe { $0.number() }, note: maybe { $0.text() },
            saying: maybe { $0.saying() })
    }

    mutating func summary() -> TableSummary {
        TableSummary(
            table: id(), history: id128(), revision: number(), rows: count(),
            sections: smallCount(), digest: number(), oldest: number())
    }

    mutating func slice() -> SnapshotChunk.Slice {
        SnapshotChunk.Slice(section: id(), title: text(), rows: list { $0.row() })
    }

    mutating func chunk() -> SnapshotChunk {
        var chunk = SnapshotChunk(
            id: id().text, revision: number(), digest: number(), chunk: smallCount(),
            chunks: smallCount(), rows: count(), kinds: list { $0.kind() },
            settings: maybe { $0.settings() }, slices: list { $0.slice() })
        chunk.isEditing = flag()
        chunk.invocations = list { $0.invocation() }
        return chunk
    }

    mutating func hello() -> Hello {
        var hello = Hello()
        hello.version = text()
        hello.opened = number()
        hello.publish = list { "ipc:///run/\($0.below(9))" }
        hello.limits.requestBytes = count()
        hello.limits.kindBytes = count()
        hello.features = list { $0.text() }
        (hello.heartbeatMs, hello.term) = (smallCount(), number())
        return hello
    }

    mutating func answer() -> Reply.Answer {
        switch below(20) {
        case 19: return flag() ? .replicated(replicated()) : .promoted(promotion())
        case 18: return .connections(list { $0.connectionSummary() })
        case 17: return .audit(list { $0.audited() })
        case 16:
            return .backup(
                BackupChunk(
                    id: id().text, chunk: smallCount(), chunks: smallCount(),
                    tables: list { $0.summary() }, parts: list { $0.bytes() }))
        case 12: return flag() ? .lease(lease()) : .found(found())
        case 13: return .who(list { $0.attendant() }, list { $0.lease() })
        case 14: return flag() ? .history(page()) : .manyDone(rows: 1 + below(9), unchanged: flag())
        case 15: return .rewind(list { $0.rewindStep() })
        case 0: return .refused(rejection())
        case 1: return .hello(hello())
        case 2: return .tables(list { $0.summary() })
        case 3: return .kinds(list { $0.kind() }, settings())
        case 4: return .snapshot(chunk())
        case 5: return .replay(publication(), head: number())
        case 6: return .standing(Standing(one(Standing.Relation.self), head: head()))
        case 7:
            var health = Health()
            (health.version, health.uptimeMs, health.position) = (text(), number(), number())
            (health.tables, health.rows) = (smallCount(), count())
            if health.tables % 2 == 1 { health.cluster = Self.cluster(health) }
            return .health(health)
        case 8:
            var stats = Stats()
            for key in list(0...3, { "c\($0.below(9))" }) { stats.counters[key] = number() }
            for key in list(0...3, { "g\($0.below(9))" }) { stats.gauges[key] = number() }
            for key in list(0...3, { "r\($0.below(9))" }) { stats.rejections[key] = number() }
            return .stats(stats)
        case 9:
            var check = CheckResult()
            (check.position, check.entries, check.checkpointParts) = (number(), number(), number())
            check.tables = list { $0.summary() }
            return .check(check)
        case 10:
            return .explained(
                Explanation(
                    rows: list { $0.landing() },
                    invocations: flag() ? [] : list { $0.invocation(isWhole: true) },
                    ops: list { $0.op() }, isUnchanged: flag()))
        default:
            return .done(
                rows: list { $0.landing() }, unchanged: flag(),
                invocations: flag() ? [] : list { $0.invocation(isWhole: true) })
        }
    }

    mutating func reply() -> Reply {
        Reply(
            client: maybe { $0.id() }, number: maybe { $0.number() }, table: maybe { $0.id() },
            history: maybe { $0.id128() }, epoch: id128(), revision: maybe { $0.number() },
            answer())
    }
}

// MARK: The journal
extension Generator {
    mutating func bytes() -> [UInt8] { list(0...200) { UInt8(truncatingIfNeeded: $0.next()) } }

    mutating func entry() -> JournalEntry {
        JournalEntry(
            timeMs: number(),
            records: list(0...5) {
                switch $0.below(7) {
                case 6: return .forgot($0.maybe { $0.id() }, $0.list { $0.id() })
                case 4: return $0.staged()
                case 5: return $0.histories()
                case 0: return .created($0.id(), history: $0.id128())
                case 1: return .dropped($0.id())
                case 2:
                    return .changed($0.id(), diff: $0.bytes(), inverse: $0.maybe { $0.bytes() })
                default:
                    let (client, user) = ($0.id(), ProvenID($0.id()))
                    let opened = $0.maybe { $0.number() }
                    return .answered(client: client, user: user, opened: opened, $0.answered())
                }
            })
    }

    mutating func checkpointPart() -> CheckpointPart {
        switch below(9) {
        case 8: return .term(Server.Term(number: max(1, number()), began: number()))
        case 7: return .owners(owners())
        case 6: return .kinds(list { $0.kind() })
        case 5: return .log(log())
        case 4: return .invocations(list { $0.invocation(isWhole: true) })
        case 0:
            return .table(
                CheckpointPart.Start(
                    table: id(), history: id128(), revision: number(), digest: number(),
                    kinds: list { $0.kind() }, settings: settings(), isEditing: flag()))
        case 1: return .rows(list { $0.slice() })
        case 2:
            let clients = list {
                CheckpointPart.Client(
                    $0.id(),
                    Sessions.Session(
                        answers: $0.list { $0.answered() }, floor: $0.number(),
                        usedAt: $0.number()))
            }
            let owner: Sessions.Owner =
                flag()
                ? .principal(ID("uid:1/\(id().text)"))
                : flag()
                    ? .unknown
                    : flag() ? .others : .otherChildren(of: ID("uid:\(number())"))
            return .sessions(clients, evictedTo: number(), of: owner)
        default: return rowMemory()
        }
    }
}

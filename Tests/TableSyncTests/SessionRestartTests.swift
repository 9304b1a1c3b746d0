import SeededNumbers
import Simulation
import TableModel
import Testing

@testable import TableSync

/// What was carried out is not carried out again, over starts of the daemon too: whoever was forgotten before
/// or after, by which limits, and however many commands share an entry.
struct SessionRestartTests {
    private typealias Key = (client: ID, number: UInt64)

    private struct Writer {
        var client: ID
        var opened: UInt64
        var number: UInt64 = 0
        /// Numbers that come later than higher ones.
        var late: [UInt64] = []
    }

    private struct Entry {
        let position: UInt64
        let user: UInt32
        let client: ID
        /// Of a client that was not known.
        let opened: UInt64?
        let answer: Sessions.Answered
    }

    /// A daemon, its journal, and what it has ever carried out.
    private struct World {
        var random: SplitMix64
        var limits = Limits()
        var book = SessionBook()
        var position: UInt64 = 0
        var journal: [Entry] = []
        var checkpoint: (at: UInt64, all: [(owner: Sessions.Owner, sessions: Sessions)]) = (0, [])
        var done: [(entry: Entry, opened: UInt64)] = []
        var isDone: Set<String> = []
        var writers: [Writer] = []
        var generations = 0

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            limits = Self.limits(&random)
            writers = (0..<9).map { _ in Writer(client: "", opened: 0) }
            for place in writers.indices { begin(place) }
        }

        static func limits(_ random: inout SplitMix64) -> Limits {
            var limits = Limits()
            limits.sessions = 2 + random.below(8)
            limits.repliesPerSession = 1 + random.below(6)
            limits.replies = limits.repliesPerSession + random.below(30)
            limits.replyBytes = 100 + random.below(1_000)
            return limits
        }

        /// Under another id, after a `hello`.
        mutating func begin(_ place: Int) {
            generations += 1
            // In no order by name.
            let letter = "\(UnicodeScalar(UInt8(97 + random.below(26))))"
            writers[place] = Writer(client: ID("\(letter)\(generations)"), opened: position)
        }

        /// Some come out of order, as far as what is remembered of a client reaches.
        private mutating func number(of place: Int) -> UInt64 {
            if let late = writers[place].late.first, random.below(3) == 0 {
                writers[place].late.removeFirst()
                return late
            }
            writers[place].number += 1
            if limits.repliesPerSession > 1, writers[place].late.isEmpty, random.below(6) == 0 {
                writers[place].late = [writers[place].number]
                writers[place].number += 1
            }
            return writers[place].number
        }

        mutating func turn() {
            position += 1
            // Now and then more than is remembered: then answers of the entry itself are let go of.
            for _ in 0..<1 + random.below(random.below(8) == 0 ? 60 : 5) {
                if random.below(3) == 0, let old = some(of: done) {
                    send(old.entry.user, old.entry.client, old.entry.answer.number, old.opened)
                } else {
                    let place = random.below(writers.count)
                    // The answer to its `hello` comes at the end of the turn.
                    if writers[place].opened == position { continue }
                    let writer = writers[place]
                    let next = number(of: place)
                    if !send(UInt32(place % 2), writer.client, next, writer.opened) {
                        begin(place)
                    }
                }
            }
            if random.below(25) == 0 { checkpoint = (position, book.all) }
            if random.below(30) == 0 {
                start()
            } else if random.below(60) == 0 {
                limits = Self.limits(&random)
                start()
            }
        }

        private mutating func some<Thing>(of all: [Thing]) -> Thing? {
            all.isEmpty ? nil : all[max(0, all.count - 1 - random.below(60))]
        }

        /// False: it is not known whether it was carried out.
        @discardableResult
        private mutating func send(
            _ user: UInt32, _ client: ID, _ number: UInt64, _ opened: UInt64
        ) -> Bool {
            let verdict = book.verdict(
                of: .user(user), client: client, number: number, opened: opened,
                requestHash: number)
            let key = "\(user) \(client) \(number)"
            switch verdict {
            case .refused(let rejection):
                #expect(rejection.code == .unknown)
                return false
            case .answered(let reply): #expect(isDone.contains(key) && reply.first == 7)
            case .fresh:
                #expect(!isDone.contains(key), "\(key) is carried out twice")
                let size = 1 + random.below(random.below(9) == 0 ? 300 : 20)
                let answer = Sessions.Answered(
                    number: number, requestHash: number,
                    reply: Array(repeating: 7, count: size))
                let isKnown = book.knows(client, of: .user(user))
                let entry = Entry(
                    position: position, user: user, client: client, opened: isKnown ? nil : opened,
                    answer: answer)
                journal.append(entry)
                if isDone.insert(key).inserted { done.append((entry, opened)) }
                answer.reply.withUnsafeBytes {
                    book.remember(
                        number, number, $0, of: .user(user), client: client, opened: opened,
                        position: position, within: Sessions.Bounds(limits))
                }
            }
            return true
        }

        /// The daemon is killed, and starts from its checkpoint.
        mutating func start() {
            let before = book
            book = SessionBook()
            for (owner, sessions) in checkpoint.all {
                let clients = sessions.list.elements.map { CheckpointPart.Client($0, $1) }
                book.restore(clients, evictedTo: sessions.evictedTo, of: owner)
            }
            for entry in journal where entry.position > checkpoint.at {
                book.remember(
                    entry.answer, of: .principal(Principal.user(entry.user).identity),
                    client: entry.client, opened: entry.opened, position: entry.position,
                    within: Sessions.Bounds(limits))
            }
            if limits == limitsAtCheckpoint { compare(before) }
            (checkpoint, limitsAtCheckpoint) = ((position, book.all), limits)
        }

        private var limitsAtCheckpoint = Limits()

        /// With the same limits the same is remembered of all that was carried out.
        private func compare(_ before: SessionBook) {
            var (before, now) = (before, book)
            for (entry, opened) in done {
                func verdict(_ book: inout SessionBook) -> Sessions.Verdict {
                    book.verdict(
                        of: .user(entry.user), client: entry.client, number: entry.answer.number,
                        opened: opened, requestHash: entry.answer.requestHash)
                }
                #expect(verdict(&before) == verdict(&now))
            }
        }
    }

    /// Whoever was emptied in the turn itself: a checkpoint knows no order within an entry but that of names.
    @Test func thoseOfOneEntryGoByTheirNames() {
        for isAskedForFull in [true, false] {
            var order = UseOrder()
            order.append("z", at: 1)
            for client in ["d", "c", "b", "a"] as [ID] { order.append(client, at: 2) }
            // In the turn itself, as they came.
            for client in ["z", "d", "c"] as [ID] {
                #expect(order.oldestFull()?.client == client)
                order.passFull()
            }
            order.append("y", at: 3)
            if isAskedForFull { #expect(order.oldestFull()?.client == "a") }
            for client in ["z", "a", "b", "c", "d", "y"] as [ID] {
                #expect(order.oldest()?.client == client)
                order.removeOldest()
            }
            #expect(order.oldest() == nil && order.oldestFull() == nil)
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func nothingRunsTwice(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<400 { world.turn() }
        #expect(world.done.count > 300)
    }
}

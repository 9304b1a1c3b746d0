import JournalFormat
public import JournalPort

extension LogJournal {
    /// Starts reading everything, in slices.
    public func verification() throws -> any Verification {
        _ = try opened()
        return SlicedVerification(self)
    }
}

/// Reads the newest checkpoint, then one segment after the other, while entries go on being submitted.
private final class SlicedVerification: Verification {
    private let journal: LogJournal
    private var summary = JournalSummary()
    private var step = Step.begin
    /// The newest entry that was read.
    private var last: UInt64
    /// The newest one when it began. Those that come meanwhile are not followed: it would not end.
    private let newest: UInt64

    private enum Step {
        case begin
        case parts(PartsRead)
        case entries(EntriesRead)
        case nextSegment
    }

    init(_ journal: LogJournal) {
        self.journal = journal
        last = journal.base
        newest = journal.head.position
    }

    func work(while goesOn: () -> Bool) throws -> JournalSummary? {
        let log = try journal.opened()
        switch step {
        case .begin:
            guard let checkpoint = journal.checkpoint else {
                step = .nextSegment
                break
            }
            step = .parts(try PartsRead(of: checkpoint, in: journal.disk))
        case .parts(var parts):
            // A newer checkpoint has replaced this one, which is being removed.
            guard parts.checkpoint == journal.checkpoint else {
                step = .begin
                break
            }
            while try parts.next({ _ in }) {
                guard goesOn() else {
                    step = .parts(parts)
                    return nil
                }
            }
            summary.add(parts.checkpoint)
            step = .nextSegment
        case .entries(var entries):
            while try entries.next({ position, payload in
                guard position > last else { return }
                summary.addEntry(bytes: payload.count)
                last = position
            }) {
                guard goesOn() else {
                    step = .entries(entries)
                    return nil
                }
            }
            step = .nextSegment
        case .nextSegment:
            // Those that compaction has let go of meanwhile are nobody's any more.
            guard last < newest, let next = log.segments.first(where: { $0.end.position > last })
            else {
                summary.position = last
                return summary
            }
            step = .entries(try EntriesRead(of: next, in: log))
        }
        return nil
    }
}

import CJournals
import JournalFormat

/// Memory for all that a journal holds, asked for before it is read, in large pages where the system has
/// them. As long as this is there the heap does not shrink.
final class HeapRoom {
    private let room: cheap_room

    /// Less is not worth it; of more the rest grows in the usual way.
    private static let sizes = 4 << 20...1 << 30

    /// Room for the files of a journal; nil: they are small.
    init?(for disk: any Disk) throws {
        var (bytes, newest) = (0, (number: UInt64(0), bytes: 0))
        for name in try disk.names() {
            guard let file = FileName(name) else { continue }
            let size = try disk.open(name).size()
            bytes += size
            if case .checkpoint(let number) = file, number > newest.number {
                newest = (number, size)
            }
        }
        guard bytes >= Self.sizes.lowerBound else { return nil }
        // A checkpoint takes about as much as its file, and half of that again for its indexes. Of the log most
        // takes nothing in the end.
        room = cheap_grow(min(bytes + bytes / 2, Self.sizes.upperBound), newest.bytes)
    }

    deinit { cheap_settle(room) }
}

import CHeap
import JournalFormat

/// Memory for all that a journal holds, asked for before it is read, in large pages where the system has
/// them. As long as this is there the heap does not shrink.
final class HeapRoom {
    private let room: cheap_room

    /// Less is not worth it; of more the rest grows in the usual way.
    private static let sizes = 4 << 20...1 << 30

    /// Room for the files of a journal; nil: they are small.
    init?(for disk: any Disk) throws {
        let bytes = try disk.names().filter { FileName($0) != nil }
            .reduce(0) { try $0 + disk.open($1).size() }
        guard bytes >= Self.sizes.lowerBound else { return nil }
        // What is read takes about as much as its file, and half of that again for its indexes.
        room = cheap_grow(min(bytes + bytes / 2, Self.sizes.upperBound))
    }

    deinit { cheap_settle(room) }
}

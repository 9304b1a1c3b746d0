/// The file `journal`: which log the directory holds. The journal is there when this file is; before,
/// other files are what an unfinished beginning left.
package struct Manifest: Equatable, Sendable {
    /// Drawn at random when the log begins. It goes into every seal, so that files of another log do not
    /// fit in, and nobody who only chooses payloads can make one that looks like an entry.
    package var log: UInt64
    /// The number of the form of all files.
    package var form: UInt64 = Form.newest

    package init(log: UInt64) { self.log = log }

    package static let size = 32

    package func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeSealed([Form.manifest, form, log])
    }

    /// Nil if it is not what was written.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size, let words = bytes.sealedWords(3), words[0] == Form.manifest
        else { return nil }
        (form, log) = (words[1], words[2])
    }
}

/// The promise of the last acknowledgement, which the file `acknowledged` holds: how far the journal reaches.
package struct Promise: Equatable, Sendable {
    /// The newest acknowledged entry.
    package var newest: ChainPoint
    /// The position that the newest finished checkpoint covers; 0 without one.
    package var checkpoint: UInt64

    package init(newest: ChainPoint, checkpoint: UInt64) {
        (self.newest, self.checkpoint) = (newest, checkpoint)
    }

    package static let size = 40

    package func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeSealed([Form.acknowledged, newest.position, newest.chain, checkpoint])
    }

    /// Nil if it is not what was written.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size, let words = bytes.sealedWords(4),
            words[0] == Form.acknowledged, max(words[1], words[3]) <= Form.largestNumber
        else { return nil }
        newest = ChainPoint(position: words[1], chain: words[2])
        checkpoint = words[3]
    }
}

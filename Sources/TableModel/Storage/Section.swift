import TableHash

extension Table {
    /// A part of a table: a lane, a course, a state. Rows stand in exactly one.
    public final class Section {
        /// Its identity in the table.
        public let id: SectionID
        /// The text that people read; it may be empty.
        public internal(set) var title: String {
            didSet { (form, kept) = (Self.form(id, title: title), nil) }
        }
        let rows: Tree

        init(id: SectionID, title: String, rows: Tree) {
            self.id = id
            self.title = title
            self.rows = rows
            form = Self.form(id, title: title)
            rows.owner = self
        }

        /// The number of rows.
        public var count: Int { rows.count }

        /// The row at an index.
        package func row(at index: Int) -> Row? { rows.element(at: index) }

        /// How many of its rows are not collapsed.
        package var openCount: Int { rows.summary.openCount }

        /// These rows, in order.
        package var openRows: [Row] { rows.elements { $0.openCount > 0 } }

        /// Shows `body` the rows that nobody has taken, in order, until it answers false; false: it did.
        package func visitFree(_ body: (Row) -> Bool) -> Bool { rows.visit(where: \.hasFree, body) }

        /// The rows in order, in arrays that later changes do not touch.
        public func runs() -> [ContiguousArray<Row>] { rows.runs() }

        /// The runs of rows, each with the weight of its rows.
        public func weighedRuns() -> [(elements: ContiguousArray<Row>, weight: Int)] {
            rows.weighedRuns()
        }

        /// Digest of id, title and rows; kept until one of them changes.
        var digest: SequenceDigest {
            let sum = rows.summary.digest
            if let kept, kept.value == sum.value, kept.count == sum.count {
                return SequenceDigest(element: kept.all)
            }
            let all = Self.digest(&form, rows: sum)
            kept = (sum.count, sum.value, all.value)
            return all
        }
        private var kept: (count: Int, value: UInt64, all: UInt64)?
        /// With each change of a row only its end is written anew.
        private var form: [UInt8]

        /// The digest of a section with these rows.
        static func digest(_ id: SectionID, title: String, rows: SequenceDigest) -> SequenceDigest {
            var form = form(id, title: title)
            return digest(&form, rows: rows)
        }

        /// The canonical form of id, title, and two numbers of the rows, which are nothing yet.
        private static func form(_ id: SectionID, title: String) -> [UInt8] {
            var writer = CanonicalWriter()
            writer.write(id)
            writer.write(title)
            writer.write(0 as UInt64)
            writer.write(0 as UInt64)
            return writer.bytes
        }

        /// Writes the numbers, and hashes all.
        private static func digest(_ form: inout [UInt8], rows: SequenceDigest) -> SequenceDigest {
            form.withUnsafeMutableBytes { bytes in
                let end = bytes.count
                bytes.storeBytes(
                    of: UInt64(rows.count).littleEndian, toByteOffset: end - 16, as: UInt64.self)
                bytes.storeBytes(
                    of: rows.value.littleEndian, toByteOffset: end - 8, as: UInt64.self)
                return SequenceDigest(hash: XXH64.hash(UnsafeRawBufferPointer(bytes)))
            }
        }
    }
}

import StrictYAML
public import TableModel

/// A section that a file names apart from its rows.
public struct ImportedSection: Equatable, Sendable {
    /// Its identity in the table.
    public var id: SectionID
    /// The title for people; nil: the table's own stays.
    public var title: String?
    /// The section's line in the file, counted from 1.
    public var line: Int

    enum Key: String, CaseIterable { case id, title, rows }

    /// The sections of a JSON document, in order; none if it is a list of rows.
    static func all(in text: ArraySlice<UInt8>, name: String) throws(Fault) -> [ImportedSection] {
        let root = try Value(json: text, file: name)
        guard root.isMapping else { return [] }
        for (key, value) in try root.entries() where key == "sections" {
            return try value.list { section throws(Fault) in
                let keys = try section.fields(Key.self)
                return ImportedSection(
                    id: ID(try keys.required(.id).string()), title: try keys[.title]?.string(),
                    line: section.line)
            }
        }
        return []
    }
}

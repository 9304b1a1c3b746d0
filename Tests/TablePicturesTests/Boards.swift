import Foundation
import FoundationXML
import TableFiles
import TableModel
import Testing

/// Tables as they stand, without the daemon that would have refused some of them.
enum Boards {
    typealias Section = (id: SectionID, title: String, rows: [Row])

    static func table(_ sections: [Section]) throws -> Table { try table([], sections) }

    static func table(
        _ kinds: [Kind], settings: Settings = Settings(), revision: UInt64 = 7,
        _ sections: [Section]
    ) throws -> Table {
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: revision,
            kinds: [Kind(.plainKind)] + kinds, settings: settings)
        for section in sections {
            try table.appendSection(section.id, title: section.title)
            for row in section.rows { try table.appendRow(row, to: section.id) }
        }
        return table
    }

    static func kinds(_ yaml: String) throws -> [Kind] {
        try KindsFile.parse(yaml, name: "kinds.yaml").kinds
    }

    /// Tickets with three actions at each edge, in the style that is given.
    static func tickets(style: String, more: String = "") throws -> Table {
        let group =
            "{style: \(style), width: 64, spacing: 8, insets: [6, 0, 6, 0]\(more), actions: ["
            + "{id: bump, title: Bump, icon: checkmark, background: '#237a4b', face: "
            + "{vertical: [{icon: checkmark, size: 24}, {text: Bump, size: 13, weight: bold}]}}, "
            + "{id: page, title: Page the server, icon: bell, face: {text: Page, size: 13}}, "
            + "{id: void, title: Void, role: destructive, icon: trash, "
            + "face: {horizontal: [{icon: trash, size: 16}, {text: Void, size: 12}]}}]}"
        let kinds = try kinds(
            "kinds: {ticket: {height: 76, leading: \(group), trailing: \(group)}}")
        return try table(
            kinds,
            [
                (
                    "grill", "Grill",
                    [
                        row("t1", "2 × ribeye, 1 × burger", swipe: .trailing),
                        row("t2", "1 × salmon, no butter", swipe: .leading),
                        row("t3", "3 × lamb skewers"),
                    ]
                )
            ])
    }

    static func row(
        _ id: RowID, _ title: String, kind: KindID = "ticket",
        fields: [Row.Field] = [Row.Field("order", "1041"), Row.Field("table", "12")],
        expansion: Expansion = .collapsed, swipe: Edge? = nil, performed: [Performance] = []
    ) -> Row {
        Row(
            id: id, content: Row.Content(kind: kind, title: title, fields: fields),
            expansion: expansion, swipe: swipe, performed: performed)
    }
}

/// A file of `Golden`: what was found must be what it says, byte by byte.
func expectGolden(_ found: String, _ name: String) throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden/\(name)")
    if ProcessInfo.processInfo.environment["REWRITE"] == "1" {
        try found.write(to: url, atomically: true, encoding: .utf8)
        return
    }
    let expected = try String(contentsOf: url, encoding: .utf8)
    let lines = zip(
        expected.split(separator: "\n", omittingEmptySubsequences: false),
        found.split(separator: "\n", omittingEmptySubsequences: false))
    for (number, (line, other)) in lines.enumerated() where line != other {
        Issue.record("\(name):\(number + 1): expected \"\(line)\", found \"\(other)\"")
        return
    }
    #expect(expected == found, "\(name): the number of lines differs")
}

/// An XML parser's view of a text: its elements, and the characters between them.
final class Document: NSObject, XMLParserDelegate {
    private(set) var elements: [String: Int] = [:]
    private(set) var attributes: [String: Set<String>] = [:]
    /// The content of each `text` element.
    private(set) var texts: [String] = []
    private var text: String?

    /// Fails the test where it is not well-formed.
    init(_ xml: String) {
        super.init()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = self
        if !parser.parse() {
            let why = parser.parserError.map { "\($0)" } ?? "?"
            Issue.record("line \(parser.lineNumber): \(why)")
        }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes found: [String: String]
    ) {
        elements[name, default: 0] += 1
        for (key, value) in found { attributes["\(name).\(key)", default: []].insert(value) }
        if name == "text" { text = "" }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text? += string }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard name == "text", let found = text else { return }
        texts.append(found)
        text = nil
    }
}

public import StrictYAML

/// The bytes of a file that a person or a program wrote, as UTF-8.
public enum FileText {
    /// The text behind a byte order mark, if there is one. What begins with the mark of UTF-16, as a
    /// spreadsheet's "Unicode text" does, is made UTF-8. A NUL and bytes that are no text are refused.
    public static func checked(_ bytes: [UInt8], name: String) throws(Fault) -> ArraySlice<UInt8> {
        guard bytes.count <= ImportFile.fileBytes else {
            throw Fault("more than \(ImportFile.fileBytes) bytes", file: name, line: 1)
        }
        var text = bytes
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            text = try utf8(ofUTF16: bytes, name: name)
        } else if String(validating: bytes, as: UTF8.self) == nil {
            let place = validCount(of: bytes)
            let byte = String(bytes[min(place, bytes.count - 1)], radix: 16, uppercase: true)
            throw fault(
                "the byte 0x\(byte) is no UTF-8: save the file as UTF-8", at: place, of: bytes[...],
                name)
        }
        if let place = text.firstIndex(of: 0) {
            throw fault("a NUL stands here: save the file as UTF-8", at: place, of: text[...], name)
        }
        return ImportFile.withoutMark(text)
    }

    /// A fault at a byte of a text. A CR alone ends a line too.
    static func fault(
        _ message: String, at place: Int, of text: ArraySlice<UInt8>, _ name: String
    ) -> Fault {
        var line = 1
        var start = text.startIndex
        for index in text.startIndex..<min(place, text.endIndex) {
            guard text[index] == 10 || text[index] == 13 else { continue }
            let isPair = text[index] == 10 && index > text.startIndex && text[index - 1] == 13
            if !isPair { line += 1 }
            start = index + 1
        }
        // Bytes that continue a character are none of their own.
        let column = 1 + text[start..<max(start, place)].count { $0 & 0xC0 != 0x80 }
        return Fault(message, file: name, line: line, column: column)
    }

    /// How many bytes at the beginning are whole characters.
    private static func validCount(of bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&rest) { count += UTF8.width(scalar) }
        return count
    }

    private static func utf8(ofUTF16 bytes: [UInt8], name: String) throws(Fault) -> [UInt8] {
        let isBig = bytes[0] == 0xFE
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        if bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) {
            return Array(text.utf8)
        }
        var whole = String.UnicodeScalarView()
        var decoder = UTF16()
        var rest = units.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&rest) { whole.append(scalar) }
        let text = Array(String(whole).utf8)
        throw fault(
            "half a character stands here, and UTF-16 has none: save the file as UTF-8",
            at: text.count, of: text[...], name)
    }
}

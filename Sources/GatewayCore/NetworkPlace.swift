/// The place on a network that an address stands for, where strangers are counted.
public enum NetworkPlace {
    /// An IPv4 address stands for itself. Of an IPv6 address the first 64 bits count: whoever has one address there
    /// has all the others too. Whatever is no address stands for itself.
    public static func of(_ address: String) -> String {
        // A link-local address may name the interface behind it.
        let text = address.prefix { $0 != "%" }
        guard text.utf8.contains(UInt8(ascii: ":")), let words = Self.words(of: text) else {
            return address
        }
        // An IPv4 address, written as one of IPv6.
        if words[..<5].allSatisfy({ $0 == 0 }), words[5] == 0xFFFF {
            return words[6...].flatMap { ["\($0 >> 8)", "\($0 & 0xFF)"] }.joined(separator: ".")
        }
        return words[..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }

    /// The eight words of an IPv6 address; nil: it is none.
    private static func words(of text: Substring) -> [UInt16]? {
        var halves: [[UInt16]] = [[]]
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        // Two colons at an end leave an empty part more than those in the middle.
        if text.hasPrefix("::") { parts.removeFirst() }
        if text.hasSuffix("::") { parts.removeLast() }
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                halves.append([])
                continue
            }
            guard let words = self.words(in: part, isLast: index == parts.count - 1) else {
                return nil
            }
            halves[halves.count - 1] += words
        }
        let given = halves.reduce(0) { $0 + $1.count }
        switch halves.count {
        case 1: return given == 8 ? halves[0] : nil
        case 2 where given < 8:
            return halves[0] + [UInt16](repeating: 0, count: 8 - given) + halves[1]
        default: return nil
        }
    }

    /// One word, or at the end the two of an IPv4 address.
    private static func words(in part: Substring, isLast: Bool) -> [UInt16]? {
        if isLast, part.utf8.contains(UInt8(ascii: ".")) {
            let bytes = part.split(separator: ".", omittingEmptySubsequences: false)
                .compactMap { UInt8($0) }
            guard bytes.count == 4 else { return nil }
            return [0, 2].map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        }
        guard part.utf8.count <= 4 else { return nil }
        return UInt16(part, radix: 16).map { [$0] }
    }
}

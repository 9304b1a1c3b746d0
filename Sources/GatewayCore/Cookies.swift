/// The header `Cookie` of browsers.
public enum Cookies {
    /// So many of one request are looked at. A browser sends one of each name; whoever sends more has not shown
    /// yet who it is, and each costs a hash.
    static let most = 4

    /// The possible secrets of devices: the values of the first cookies with these names.
    public static func secrets(
        in headers: [String], names: [String]
    ) -> [(name: String, secret: String)] {
        var secrets: [(name: String, secret: String)] = []
        for header in headers {
            for part in header.utf8.split(separator: UInt8(ascii: ";")) {
                let cookie = part.drop { $0 == UInt8(ascii: " ") }
                guard let equals = cookie.firstIndex(of: UInt8(ascii: "=")),
                    let name = names.first(where: { cookie[..<equals].elementsEqual($0.utf8) })
                else { continue }
                let value = cookie[equals...].dropFirst()
                guard (20...100).contains(value.count) else { continue }
                secrets.append((name, String(decoding: value, as: UTF8.self)))
                if secrets.count == most { return secrets }
            }
        }
        return secrets
    }
}

/// The header `Authorization` of programs that are no browsers.
public enum BearerToken {
    /// The secret in it; nil: it has none, and cookies count.
    public static func secret(in header: String?) -> String? {
        let words = (header ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return (20...100).contains(words[1].utf8.count) ? String(words[1]) : ""
    }
}

import ArgumentParser

enum Alternatives {
    /// Throws where several are given, and where none is though one `isNeeded`.
    static func check(_ options: KeyValuePairs<String, Bool>, isNeeded: Bool = false) throws {
        let given = options.filter(\.value).map(\.key)
        if given.count > 1 { throw ValidationError("\(given.listed) exclude each other.") }
        if isNeeded, given.isEmpty {
            throw ValidationError("One of \(options.map(\.key).listed) is needed.")
        }
    }
}

extension [String] {
    /// "a", "a and b", "a, b and c".
    var listed: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}

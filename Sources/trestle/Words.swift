/// The words of a command line, and which of them are options: ArgumentParser takes every word that
/// begins with a dash for one, and so would have nobody add a row "- no butter".
///
/// A word is an option where it looks like `--name` or `--name=value`, or is `-e`, `-o` or `-h`.
/// Any other is a value, also where it begins with a dash. Behind an option that takes a value
/// stands its value, unless that looks like an option itself; behind `--` all words are values.
struct Words {
    /// Options before the verb, with their values.
    private var root: [String]
    /// The first word that is neither; nil: there is none.
    let verb: String?
    let rest: [String]

    init(_ words: [String]) {
        var at = 0
        while at < words.count, let length = Self.lengthOfRootOption(words[at]) { at += length }
        at = min(at, words.count)
        root = Array(words[..<at])
        let isVerb = at < words.count && !words[at].hasPrefix("-")
        verb = isVerb ? words[at] : nil
        if isVerb { at += 1 }
        // Those of `explain` itself: its other words are the explained command's.
        if verb == "explain" {
            let start = at
            while at < words.count, let length = Self.lengthOfRootOption(words[at]) { at += length }
            at = min(at, words.count)
            root += words[start..<at]
        }
        rest = Array(words[at...])
    }

    /// The words behind a known verb.
    init(verb: String, _ words: [String]) { (root, self.verb, rest) = ([], verb, words) }

    /// The verb in `help VERB`.
    var helpedVerb: String? { rest.first { !$0.hasPrefix("-") } }

    /// The options behind the verb, as they are written, without words in the place of an option's value.
    var options: [String] {
        var found: [String] = []
        var at = 0
        while at < rest.count, rest[at] != "--" {
            let word = rest[at]
            at += 1
            if !Self.isOption(word) {
                if verb == "explain" { break }
                continue
            }
            found.append(word)
            if Self.takingValues[word] != nil { at += 1 }
        }
        return found
    }

    /// All words, written so that ArgumentParser takes each for what it is.
    var prepared: [String] {
        guard let verb else { return preparedRoot + rest }
        return preparedRoot + [verb] + preparedBehindVerb
    }

    /// The part of `prepared` before the verb.
    var preparedRoot: [String] { Self.glued(root) }

    /// Options of the root, each value that looks like an option written to its name.
    private static func glued(_ options: [String]) -> [String] {
        guard options.contains(where: { looksLikeOption($0) && !isOption($0) }) else {
            return options
        }
        var words: [String] = []
        for word in options {
            if looksLikeOption(word), !isOption(word), let option = words.last,
                let name = takingValues[option]
            {
                words[words.count - 1] = "\(name)=\(word)"
            } else {
                words.append(word)
            }
        }
        return words
    }

    /// The part of `prepared` behind the verb.
    var preparedBehindVerb: [String] {
        if verb == "explain" { return preparedForExplain }
        var options: [String] = []
        var values: [String] = []
        var isWritten = true
        var at = 0
        while at < rest.count, rest[at] != "--" {
            let word = rest[at]
            at += 1
            guard Self.isOption(word) else {
                values.append(word)
                if Self.looksLikeOption(word) { isWritten = false }
                continue
            }
            guard let name = Self.takingValues[word], at < rest.count, rest[at] != "--",
                !Self.isOption(rest[at])
            else {
                options.append(word)
                continue
            }
            if Self.looksLikeOption(rest[at]) {
                isWritten = false
                options.append("\(name)=\(rest[at])")
            } else {
                options += [word, rest[at]]
            }
            at += 1
        }
        if isWritten { return rest }
        let behind = at < rest.count ? Array(rest[(at + 1)...]) : []
        // The program that handles an action has what stands behind `--` to itself.
        if verb == "handle" { return options + values + ["--"] + behind }
        let all = values + behind
        return all.isEmpty ? options : options + ["--"] + all
    }

    /// The command that is explained is prepared by itself, and not looked at before.
    private var preparedForExplain: [String] {
        rest.isEmpty || rest[0].hasPrefix("-") ? rest : ["--"] + rest
    }

    // MARK: What is an option

    /// Whether the word is a name behind dashes, perhaps with a value.
    static func isOption(_ word: String) -> Bool {
        if ["-e", "-o", "-h"].contains(word) { return true }
        guard word.utf8.starts(with: "--".utf8) else { return false }
        let name = word.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }
        guard let first = name.first, first.isLetter else { return false }
        return name.allSatisfy { $0.isLetter || 48...57 ~= $0 || $0 == UInt8(ascii: "-") }
    }

    /// Whether ArgumentParser would take the word for an option.
    private static func looksLikeOption(_ word: String) -> Bool {
        word.utf8.first == UInt8(ascii: "-") && word != "-"
    }

    /// The number of words that an option of the root takes up; nil for anything else.
    static func lengthOfRootOption(_ word: String) -> Int? {
        switch word {
        case "-e", "-o", "--endpoint", "--output", "--timeout", "--as", "--behalf": return 2
        default:
            let glued = ["--endpoint=", "--output=", "--timeout=", "--as=", "--behalf="]
            return glued.contains { word.hasPrefix($0) } ? 1 : nil
        }
    }

    /// The options that take a value, and their long names. A test holds this against what the verbs declare.
    static let takingValues: [String: String] = {
        let names = [
            "act", "action", "actions", "actor", "after", "as", "at", "before", "behalf", "by",
            "capability",
            "columns", "count", "endpoint", "expand", "field", "filter", "for", "format",
            "fraction",
            "from", "hair", "hint", "holder", "id", "if", "if-revision", "if-version", "into",
            "item", "jobs", "key", "kind", "language", "limit", "name", "note", "output", "profile",
            "pull",
            "reveal",
            "revision", "row", "section", "since", "sort", "speed", "state", "sum", "table", "tap",
            "timeout", "title", "to", "ttl", "unset", "until", "verb", "where", "width",
        ]
        var all = ["-e": "--endpoint", "-o": "--output"]
        for name in names { all["--\(name)"] = "--\(name)" }
        return all
    }()
}

extension UInt8 {
    fileprivate var isLetter: Bool { 65...90 ~= self || 97...122 ~= self }
}

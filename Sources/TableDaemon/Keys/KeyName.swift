/// Names of keys, and of services on etcd. They have a file of their own, since the fuzz programs take all that
/// reads a configuration, but not the files of keys.
enum KeyName {
    /// Whether it is plain: 1 to 64 letters, digits, dots, hyphens and underscores, of which the first is
    /// a letter or a digit.
    static func isPlain(_ text: String) -> Bool {
        guard 1...64 ~= text.utf8.count else { return false }
        func isWord(_ byte: UInt8) -> Bool { 48...57 ~= byte || 97...122 ~= byte | 0x20 }
        guard text.utf8.first.map(isWord) == true else { return false }
        return text.utf8.allSatisfy { isWord($0) || [45, 46, 95].contains($0) }
    }
}

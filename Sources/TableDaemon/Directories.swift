import Glibc

/// Directories that the daemon may have to make before it can put something there.
enum Directories {
    /// Makes the directories above a path that are not there yet. What cannot be made shows when
    /// the path itself is used, with its reason.
    static func makeParents(of path: String) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            _ = mkdir(String(path[..<index]), 0o755)
        }
    }
}

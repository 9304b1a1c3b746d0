import Glibc

/// How much memory this process may still take, where there is a bound: `MemoryMax=` of its service or
/// of one around that, or an `ulimit -v`. A request that takes more would end the process, so it is refused before.
enum MemoryRoom {
    /// Bytes; nil: there is no bound, or the system does not say.
    static var left: Int? { (leftOfGroups + [leftOfAddresses].compactMap(\.self)).min() }

    /// The limit of this process alone counts memory that it does not use too.
    private static var leftOfAddresses: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
            let most = Int(exactly: limit.rlim_cur),
            let pages = SmallFile.text("/proc/self/statm")?.split(separator: " ").first.flatMap({
                Int($0)
            })
        else { return nil }
        return max(0, most - pages * max(0, sysconf(Int32(_SC_PAGESIZE))))
    }

    /// How the two versions of control groups say what a group has and may have.
    private struct Version {
        /// In the line of `/proc/self/cgroup`, before the group's path.
        let mark: String
        let root: String
        let most: String
        let used: String
        /// In `memory.stat`: pages of files, which count too, and which the system takes back.
        let files: String
    }

    private static let versions = [
        Version(
            mark: "0::/", root: "/sys/fs/cgroup", most: "memory.max", used: "memory.current",
            files: "file "),
        Version(
            mark: ":memory:/", root: "/sys/fs/cgroup/memory", most: "memory.limit_in_bytes",
            used: "memory.usage_in_bytes", files: "total_cache "),
    ]

    /// The limits of this process's control group and of those around it.
    private static var leftOfGroups: [Int] {
        let lines = SmallFile.text("/proc/self/cgroup")?.split(separator: "\n") ?? []
        var left: [Int] = []
        for version in versions {
            guard let line = lines.first(where: { $0.contains(version.mark) }) else { continue }
            var directory = version.root
            if let bytes = Self.left(of: directory, version) { left.append(bytes) }
            for name in line.split(separator: "/").dropFirst() {
                directory += "/\(name)"
                if let bytes = Self.left(of: directory, version) { left.append(bytes) }
            }
        }
        return left
    }

    private static func left(of group: String, _ version: Version) -> Int? {
        guard let most = number(in: "\(group)/\(version.most)"),
            let used = number(in: "\(group)/\(version.used)")
        else { return nil }
        let files = SmallFile.text("\(group)/memory.stat")?.split(separator: "\n")
            .first { $0.hasPrefix(version.files) }
            .flatMap { Int($0.dropFirst(version.files.count)) }
        return max(0, most - max(0, used - (files ?? 0)))
    }

    /// Nil where there is none: of what has no bound it says "max".
    private static func number(in path: String) -> Int? {
        SmallFile.text(path)?.split(separator: "\n").first.flatMap { Int($0) }
    }
}

import Glibc

/// A medium that servers write to.
enum Medium: String, CaseIterable, Codable {
    /// The disk under `--directory`, as it is.
    case disk
    /// A tmpfs, where a sync costs nothing: a good NVMe drive is nearer to that than to a slow disk.
    case memory
    /// The disk, with 0.5 ms more for each sync.
    case slow

    /// Where servers have their directories.
    func base(_ options: Options) -> String {
        switch self {
        case .disk, .slow: options.directory
        case .memory: "/dev/shm"
        }
    }

    /// For the servers' environment.
    func variables(_ options: Options) throws(Failure) -> [String] {
        guard self == .slow else { return [] }
        guard access(options.slowSync, R_OK) == 0 else {
            throw Failure("there is no \(options.slowSync): make -C bench slow-sync")
        }
        return ["LD_PRELOAD=\(options.slowSync)"]
    }
}

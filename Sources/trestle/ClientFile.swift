import Glibc
import StrictYAML

/// The client's configuration: `trestle/client.yaml` in the XDG directory, which comes first, or in /etc.
enum ClientFile {
    enum Key: String, CaseIterable { case endpoint, key, view }

    static var paths: [String] {
        [KeyStore.directory, "/etc/trestle"].compactMap { $0.map { $0 + "/client.yaml" } }
    }

    /// The value of a key; nil if there is no such file, or the key is not in it.
    static func read<T>(
        _ key: Key, in path: String, _ reading: (Value) throws(Fault) -> T
    ) throws(Failure) -> T? {
        guard access(path, F_OK) == 0 else { return nil }
        let text = try text(of: path)
        do throws(Fault) {
            let value = try Value(text, file: path)
            if value.isNull { return nil }
            guard let found = try value.fields(Key.self)[key] else { return nil }
            return try reading(found)
        } catch { throw Failure(error, .badConfiguration) }
    }

    private static func text(of path: String) throws(Failure) -> String {
        do throws(Failure) {
            return try Files.text(at: path, atMost: Bounds.documentBytes)
        } catch { throw Failure(.badConfiguration, error.message) }
    }
}

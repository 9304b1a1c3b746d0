import ArgumentParser
import Glibc
import TableDaemon
import TableTransport

/// Standard output and standard error of the commands that end. What serves has a log instead.
enum Output {
    /// A line that somebody asked for: it is a failure not to tell it. A reader that has gone has what
    /// it wanted.
    static func line(_ text: String) throws(DaemonError) {
        let code = StandardDescriptors.write(text + "\n", to: 1)
        guard code == 0 || code == EPIPE else {
            throw DaemonError(
                .io, "cannot write to standard output: \(String(cString: strerror(code)))")
        }
    }

    /// Lines on standard error.
    static func complain(_ text: String) { _ = StandardDescriptors.write(text, to: 2) }

    /// Runs a command. An error is said, with all that is wrong, and gives the exit code.
    static func ending(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as ExitCode {
            throw error
        } catch {
            let all = (error as? DaemonError)?.all ?? ["\(error)"]
            complain(all.map { "trestled: \($0)\n" }.joined())
            throw ExitCode(DaemonError.exitCode(of: error))
        }
    }
}

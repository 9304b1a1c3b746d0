/// The words that this process was started with.
public enum ProgramWords {
    /// The place of the first that is not valid UTF-8; nil: there is none. `CommandLine.arguments` has it
    /// mended, and then it can be another path, or the name of another row.
    public static var firstNotText: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
        }
    }
}

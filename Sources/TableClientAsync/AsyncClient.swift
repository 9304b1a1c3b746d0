public import TableClient

/// A client for `async` code: a `Client` on a queue of its own. Its requests go one after another, in the order in
/// which they arrive.
///
/// A refusal is thrown as `ClientError.refused`. A task that is cancelled throws `CancellationError`: one that waits for
/// a command within a quarter of a second, and the command may have been carried out, or may still be, once; one that
/// asks or reads when its answer has come.
///
///     let client = try AsyncClient("ipc:///run/trestle/request.sock")
///     try await client.perform(Command(.remove(["t41"])), on: "board")
public actor AsyncClient {
    private let executor = ThreadExecutor("trestle.client")
    private let client: Client

    /// A queue of its own: it blocks there.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Connects, without waiting for the daemon. The arguments are those of `Client`.
    public init(_ endpoint: String, name: ID? = nil, keys: ClientKeys? = nil, behalf: Behalf? = nil)
        throws
    {
        client = try Client(endpoint, keys: keys)
        client.name = name
        client.behalf = behalf
    }

    /// Has a command carried out, once.
    @discardableResult
    public func perform(
        _ command: Command, on table: TableID, withinMilliseconds timeout: UInt64? = 5_000
    ) throws -> Reply { try perform(.command(command), on: table, withinMilliseconds: timeout) }

    /// Has anything else done that is carried out once: `.create`, `.drop`, a batch.
    @discardableResult
    public func perform(
        _ verb: Request.Verb, on table: TableID, withinMilliseconds timeout: UInt64? = 5_000
    ) throws -> Reply {
        let deadline = Deadline(inMilliseconds: timeout)
        try meet(by: deadline)
        do {
            return try client.perform(verb, on: table, by: deadline) { Task.isCancelled }.accepted
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    /// Asks for something that changes nothing.
    public func ask(
        _ verb: Request.Verb, about table: TableID? = nil,
        withinMilliseconds timeout: UInt64 = 5_000
    ) throws -> Reply {
        let deadline = Deadline(inMilliseconds: timeout)
        try meet(by: deadline)
        return try client.ask(verb, about: table, by: deadline).accepted
    }

    /// Hands the table as it is now to `body`, and returns its result.
    public func read<Value: Sendable>(
        _ table: TableID, withinMilliseconds timeout: UInt64 = 30_000,
        _ body: @Sendable (Table) throws -> Value
    ) throws -> Value {
        let deadline = Deadline(inMilliseconds: timeout)
        try meet(by: deadline)
        return try body(client.snapshot(of: table, by: deadline).table)
    }

    /// Waits until the daemon has answered for the first time, and looks now and then whether the task is cancelled.
    private func meet(by deadline: Deadline) throws {
        while true {
            try Task.checkCancellation()
            do {
                _ = try client.hello(by: Deadline(inMilliseconds: 250))
                return
            } catch let error as ClientError {
                switch error {
                case .timeout, .unreachable: if deadline.hasPassed { throw error }
                default: throw error
                }
            }
        }
    }
}

/// Screens that ask to be let in. Each shows a short code, and has a secret of its own. Whoever confirms the code
/// stands before the screen, so the code needs not be long; what is let in is the secret.
public struct Askings: Sendable {
    /// How long a screen is waited for.
    public static let seconds = 600
    /// Screens that may wait at once.
    public static let most = 100
    /// Screens of one address that may wait at once: no stranger keeps all others from asking.
    public static let mostOfAddress = 8

    private struct Asking: Sendable {
        var place: String
        var code: String
        var secretHash: String
        var endsAt: Int
    }

    /// In the order in which they asked.
    private var waiting: [Asking] = []

    /// None.
    public init() {}

    /// Takes a screen in. It takes the place of its address's oldest, where that has as many as it may. False: too many
    /// wait, or one has the same code.
    public mutating func ask(
        code: String, secretHash: String, from address: String, now: Int
    ) -> Bool {
        waiting.removeAll { $0.endsAt <= now }
        guard !waiting.contains(where: { $0.code == code }) else { return false }
        let place = NetworkPlace.of(address)
        let own = waiting.indices.filter { waiting[$0].place == place }
        if own.count >= Self.mostOfAddress, let oldest = own.first { waiting.remove(at: oldest) }
        guard waiting.count < Self.most else { return false }
        waiting.append(
            Asking(place: place, code: code, secretHash: secretHash, endsAt: now + Self.seconds))
        return true
    }

    /// Whether the screen with this secret waits.
    public func waits(secretHash: String, now: Int) -> Bool {
        waiting.contains { $0.secretHash == secretHash && $0.endsAt > now }
    }

    /// The hash of the secret of the screen that shows this code; nil: none does.
    public func secretHash(of code: String, now: Int) -> String? {
        waiting.first { $0.code == code && $0.endsAt > now }?.secretHash
    }

    /// It waits no longer.
    public mutating func end(secretHash: String) {
        waiting.removeAll { $0.secretHash == secretHash }
    }
}

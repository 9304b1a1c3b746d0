/// A remark of a reply about a row: why it is not where it was asked to be, or what else is to be said of it.
public struct Note: Equatable, Sendable {
    /// The English sentence.
    public var text: String
    /// That sentence as data.
    public var saying: Saying

    /// A remark in English and as data.
    public init(_ text: String, _ saying: Saying) {
        self.text = text
        self.saying = saying
    }
}

/// A remark of a reply about a row: why it is not where it was asked to be, or what else is to be said of it.
///
/// An object: nearly no plan has one, and where there is none it takes one word.
public final class Note: Equatable, Sendable {
    /// The English sentence.
    public let text: String
    /// That sentence as data.
    public let saying: Saying

    /// A remark in English and as data.
    public init(_ text: String, _ saying: Saying) {
        self.text = text
        self.saying = saying
    }

    /// Whether both say the same.
    public static func == (a: Note, b: Note) -> Bool { a.text == b.text && a.saying == b.saying }
}

public import TableModel

/// How messages are written: two encodings of one schema (Schema/trestle.proto).
public enum Form: String, Sendable, CaseIterable {
    /// Protobuf's binary encoding. What is at its default is left out.
    case binary = "proto"
    /// Protobuf's JSON mapping, with 64-bit integers as numbers. What a reader would look for
    /// stands there also when it is zero, empty or false.
    case json

    /// The first frame of a request and of a reply: what is spoken, in ASCII.
    public var header: String {
        switch self {
        case .binary: return "trestle/1 proto"
        case .json: return "trestle/1 json"
        }
    }
}

/// The frame before a message, which says what the message is written in.
public enum Header {
    /// The form that this frame names, or `unsupportedProtocol`.
    public static func parse(_ bytes: UnsafeRawBufferPointer) -> Result<Form, Rejection> {
        for form in Form.allCases {
            var header = form.header
            if header.withUTF8({ bytes.elementsEqual($0) }) { return .success(form) }
        }
        let spoken = Form.allCases.map { "\"\($0.header)\"" }.joined(separator: " and ")
        return .failure(Rejection(.unsupportedProtocol, "Spoken here: \(spoken)."))
    }
}

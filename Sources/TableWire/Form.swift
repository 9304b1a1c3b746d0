public import TableModel

/// The two encodings of one schema (Schema/trestle.proto).
public enum Form: String, Sendable, CaseIterable {
    /// Protobuf's binary encoding. Default values are left out.
    case binary = "proto"
    /// Protobuf's JSON mapping, with 64-bit integers as numbers. Values that a reader would look
    /// for are written even if they are zero, empty or false.
    case json

    /// The first frame of a request and of a reply, in ASCII: the protocol and the form.
    public var header: String {
        switch self {
        case .binary: return "trestle/1 proto"
        case .json: return "trestle/1 json"
        }
    }
}

/// The frame before a message. It names the message's form.
public enum Header {
    /// The form that this frame names, or `unsupportedProtocol`.
    public static func parse(_ bytes: UnsafeRawBufferPointer) -> Result<Form, Rejection> {
        for form in Form.allCases {
            var header = form.header
            if header.withUTF8({ bytes.elementsEqual($0) }) { return .success(form) }
        }
        let spoken = Form.allCases.map { "\"\($0.header)\"" }.joined(separator: " and ")
        return .failure(Rejection(.unsupportedProtocol, "This program speaks \(spoken)."))
    }
}

public import TableModel

/// The two encodings of one schema (Schema/trestle.proto).
public enum Form: String, Sendable, CaseIterable {
    /// Protobuf's binary encoding. Default values are left out.
    case binary = "proto"
    /// Protobuf's JSON mapping, with 64-bit integers as numbers. Values that a reader would look
    /// for are written even if they are zero, empty or false.
    case json

    /// The first frame of a request and of a reply, in ASCII: the protocol and the form.
    public var header: String { frame.description }

    /// The frame, as it stands in the program.
    public var frame: StaticString {
        switch self {
        case .binary: return "trestle/1 proto"
        case .json: return "trestle/1 json"
        }
    }

    /// The first frame of a request before which a `Behalf` stands, in the same form.
    public var behalfHeader: String { header + " behalf" }
}

/// The frame before a message. It names the message's form.
public enum Header {
    /// The form that this frame names; nil: it names none.
    public static func form(_ bytes: UnsafeRawBufferPointer) -> Form? {
        if bytes.holds(Form.binary.frame) { return .binary }
        return bytes.holds(Form.json.frame) ? .json : nil
    }

    /// The refusal of a frame that names no form.
    public static var unsupported: Rejection {
        let spoken = Form.allCases.map { "\"\($0.header)\"" }.joined(separator: " and ")
        return Rejection(.unsupportedProtocol, "This program speaks \(spoken).")
    }

    /// The form, if the frame says that a `Behalf` comes before the message.
    public static func behalf(_ bytes: UnsafeRawBufferPointer) -> Form? {
        Form.allCases.first { bytes.elementsEqual($0.behalfHeader.utf8) }
    }
}

import ArgumentParser
import GatewayCore
import Glibc

/// How the program ends after an error: a sentence on standard error, or with `-o json` one document on standard
/// output, of the same form as those of `trestle`.
struct Ending {
    private let error: any Error
    private let inJSON: Bool

    init(_ error: any Error, inJSON: Bool) { (self.error, self.inJSON) = (error, inJSON) }

    /// Whether the words ask for JSON. The parser may not have understood the others.
    static func isJSON(wantedBy words: [String]) -> Bool {
        let words = words.prefix { $0 != "--" }
        let names = ["-o", "--output"]
        return zip(words, words.dropFirst()).contains { names.contains($0) && $1 == "json" }
            || words.contains { $0 == "-o=json" || $0 == "--output=json" }
    }

    func exit() -> Never {
        guard let (code, sentence, status) = failure else { TrestleServe.exit(withError: error) }
        if inJSON {
            print(
                #"{"ok":false,"error":{"code":\#(JSONText.quote(code)),"#
                    + #""message":\#(JSONText.quote(sentence))}}"#)
        } else {
            Log.say(sentence)
        }
        Glibc.exit(status)
    }

    /// Code, sentence and exit code; nil: the parser says it, in its own form.
    private var failure: (code: String, sentence: String, status: Int32)? {
        switch error {
        case let failure as SystemFailure:
            return (Self.code(of: failure.exitCode), failure.description, failure.exitCode)
        case let refusal as DeviceRefusal:
            return (refusal.rawValue, refusal.sentence, refusal == .noSuchDevice ? 66 : 1)
        default:
            // Help and the version are no failures, and their place is the parser's to know.
            let status = TrestleServe.exitCode(for: error)
            guard inJSON, !status.isSuccess else { return nil }
            return ("usage", TrestleServe.message(for: error), status.rawValue)
        }
    }

    /// The words that `trestle` has for these exit codes.
    private static func code(of status: Int32) -> String {
        switch status {
        case 65: "badData"
        case 66: "noSuchFile"
        case 69: "noGateway"
        case 73: "cannotCreate"
        case 74: "io"
        case 75: "timeout"
        case 77: "notPermitted"
        case 78: "badConfiguration"
        default: "system"
        }
    }
}

extension DeviceRefusal {
    fileprivate var sentence: String {
        switch self {
        case .nameTaken: "there is a device of that name: revoke it first"
        case .noSuchDevice: "there is no device of that name"
        case .tooMany: "there are too many devices or open invitations"
        case .badCode: "the code is not known"
        case .badName: "the daemon would refuse a device of this name"
        }
    }
}

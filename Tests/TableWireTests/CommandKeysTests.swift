import Testing

@testable import TableWire

/// Keys of commands that people write by hand.
@Suite struct CommandKeysTests {
    @Test(arguments: [
        (#"{"add":{"idd":"a","title":"x"}}"#, "idd"),
        (#"{"add":{"title":"x","items":[{"id":"i","titel":"y"}]}}"#, "titel"),
        (#"{"remov":{"rows":["a"]}}"#, "remov"),
        (#"{"define":{"kinds":[{"id":"k","hight":60}]}}"#, "hight"),
        (#"{"ifVersoin":3,"set":{"row":"a","title":"b"}}"#, "ifVersoin"),
    ])
    func anUnknownKeyIsNamed(_ command: String, _ key: String) {
        #expect(CommandKeys.unknown(in: command.utf8) == key)
    }

    @Test(arguments: [
        #"{"add":{"id":"a","fields":{"whatever":"x"}}}"#,
        #"{"if_version":3,"remove":{"rows":["a"]}}"#,
        #"{"add":"#, "[]", "", "{\"add\":7}",
    ])
    func whatIsKnownOrNotReadableIsNot(_ command: String) {
        #expect(CommandKeys.unknown(in: command.utf8) == nil)
    }

    @Test func aHintFitsWhereItStands() {
        #expect(CommandKeys.fits("id", insteadOf: "idd", in: #"{"add":{"idd":"a"}}"#))
        // `to` is a key of commands, but not of this one.
        #expect(!CommandKeys.fits("to", insteadOf: "too", in: #"{"swap":{"too":"a"}}"#))
    }

    /// Of the message `Command` and those that stand in it, but for kinds and settings.
    @Test func theListIsThatOfTheSchema() throws {
        let messages = try SchemaText().messages.filter { message in
            ["Command", "StripItem", "RowActions"].contains {
                message.key == $0 || message.key.hasPrefix($0 + ".")
            }
        }
        let found = Set(messages.values.joined().map(\.jsonName))
        // What taps do is written as in kinds, and the digest is the daemon's.
        #expect(found.subtracting(["effects", "digest"]) == Set(CommandKeys.all))
        #expect(CommandKeys.all.count == Set(CommandKeys.all).count)
    }
}

import TableModel
import TableSync
import Testing

@testable import TableWire

/// The frame that says on whose behalf a request is.
@Suite struct BehalfFrameTests {
    private func read(_ bytes: [UInt8], _ form: Form, limits: Limits = Limits()) throws -> Behalf {
        try bytes.withUnsafeBytes { bytes in
            try Result { () throws(Rejection) in
                try Decode.behalf(bytes, form: form, limits: limits)
            }.get()
        }
    }

    @Test func roundTrips() throws {
        let all = [
            try Behalf(name: "grill"), try Behalf(name: "é/x", role: "admin"),
            try Behalf(name: "\u{202E}🧵", role: "viewer", tables: ["*", "a*b", "日本"]),
        ]
        for behalf in all {
            for form in Form.allCases {
                #expect(try read(Encode.behalf(behalf, form: form), form) == behalf)
            }
        }
        #expect(
            String(decoding: Encode.behalf(all[1], form: .json), as: UTF8.self)
                == #"{"name":"é/x","role":"admin"}"#)
        #expect(Encode.behalf(all[0], form: .binary) == [10, 5] + Array("grill".utf8))
    }

    /// Absent is all tables. An empty list is none, and refused: who passes on what is left of a
    /// list would give all with it. Protobuf has no such list.
    @Test func anEmptyListOfTablesIsNotAll() throws {
        for text in [
            #"{"name":"a","tables":[]}"#, #"{"name":"a","tables":null}"#,
            #"{"tables": [ ] , "name":"a"}"#, #"{"name":"a","t\u0061bles":[]}"#,
            #"{"name":"a","tables":[],"tables":[]}"#,
        ] {
            do {
                _ = try read(Array(text.utf8), .json)
                Issue.record("\(text) is taken")
            } catch let rejection as Rejection {
                #expect(rejection.field?.hasPrefix("behalf") == true, "\(text) \(rejection)")
            }
        }
        for text in [
            #"{"name":"a"}"#, #"{"name":"a","more":{"tables":[]}}"#,
            #"{"name":"a","more":[[1,null,"x",true]]}"#,
        ] {
            #expect(try read(Array(text.utf8), .json) == Behalf(name: "a"), "\(text)")
        }
        #expect(try read([10, 1] + Array("a".utf8), .binary) == Behalf(name: "a"))
    }

    /// Absent is whatever the sender may do. Empty is a role that somebody forgot to fill in.
    @Test func anEmptyRoleIsNotAll() throws {
        for text in [
            #"{"name":"a","role":""}"#, #"{"name":"a","role":null}"#,
            #"{"role": "" , "name":"a","tables":["b"]}"#, #"{"name":"a","r\u006fle":""}"#,
            #"{"name":"a","role":null,"tables":[]}"#,
        ] {
            do {
                _ = try read(Array(text.utf8), .json)
                Issue.record("\(text) is taken")
            } catch let rejection as Rejection {
                #expect(rejection.field == "behalf.role", "\(text) \(rejection)")
                #expect(rejection.code == .badValue, "\(text) \(rejection)")
            }
        }
        for text in [
            #"{"name":"a","tables":["b"]}"#, #"{"name":"a","tables":["b"],"more":{"role":""}}"#,
        ] {
            #expect(
                try read(Array(text.utf8), .json) == Behalf(name: "a", tables: ["b"]), "\(text)")
        }
    }

    @Test func headers() {
        for form in Form.allCases {
            let header = Array(form.behalfHeader.utf8)
            #expect(header.withUnsafeBytes { Header.behalf($0) } == form)
            #expect(Array(form.header.utf8).withUnsafeBytes { Header.behalf($0) } == nil)
            #expect((header + [0x20]).withUnsafeBytes { Header.behalf($0) } == nil)
        }
    }

    @Test func aLimitOfIdsHoldsForTheName() throws {
        var limits = Limits()
        limits.idBytes = 16
        let behalf = try Behalf(name: String(repeating: "n", count: 17))
        do {
            _ = try read(Encode.behalf(behalf, form: .json), .json, limits: limits)
            Issue.record("it is taken")
        } catch let rejection as Rejection {
            #expect(rejection.code == .tooLarge && rejection.field == "behalf.name")
        }
    }

    /// No bytes trap, and what is refused is refused with the frame's name.
    @Test func randomBytes() throws {
        var random = SystemRandomNumberGenerator()
        let good = Encode.behalf(
            try Behalf(name: "grill", role: "viewer", tables: ["a*"]), form: .json)
        for round in 0..<20_000 {
            var bytes = round % 2 == 0 ? good : (0..<round % 40).map { _ in random.next() }
            if !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = random.next()
            }
            for form in Form.allCases {
                do {
                    _ = try read(bytes, form)
                } catch let rejection as Rejection {
                    #expect(rejection.field?.hasPrefix("behalf") == true, "\(rejection)")
                }
            }
        }
    }
}

import Testing

@testable import TableTransport

@Suite struct CurveKeyTests {
    @Test func textIsThatOfLibzmq() throws {
        // rfc.zeromq.org/spec/32: eight bytes of its example, four times.
        let text = String(repeating: "HelloWorld", count: 4)
        let bytes: [UInt8] = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]
        let key = try #require(CurveKey(text))
        #expect(key.bytes == bytes + bytes + bytes + bytes)
        #expect(key.text == text)
    }

    @Test func pairsBelongTogether() throws {
        for _ in 0..<20 {
            let pair = try CurveKey.makePair()
            #expect(try pair.secret.publicKey() == pair.publicKey)
            #expect(CurveKey(pair.publicKey.text) == pair.publicKey)
        }
    }

    @Test func whatIsNoKeyIsRefused() {
        let digits = String(repeating: "0", count: 39)
        for text in ["", digits, digits + "00", digits + " ", digits + "\"", digits + "é"] {
            #expect(CurveKey(text) == nil, "\(text)")
        }
        // Five signs for more than 32 bits.
        #expect(CurveKey(String(repeating: "#", count: 40)) == nil)
    }
}

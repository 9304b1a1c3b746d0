import Testing

@testable import GatewayCore

@Suite struct SHA256Tests {
    @Test(
        "the vectors of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vectors(text: String, hash: String) {
        #expect(SHA256.hex(text) == hash)
    }

    @Test("a million times the letter a, in pieces of every length")
    func inPieces() {
        var hash = SHA256()
        var left = 1_000_000
        var piece = 1
        while left > 0 {
            let count = min(left, piece)
            hash.add([UInt8](repeating: UInt8(ascii: "a"), count: count))
            left -= count
            piece = piece % 997 + 1
        }
        #expect(
            hash.finish().hex
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("every length around a block's end is padded right")
    func padding() {
        // Hashes of hashes, so that one wrong length shows; by Python's hashlib.
        var all = SHA256()
        for count in 0...130 { all.add(SHA256.hash([UInt8](repeating: 7, count: count))) }
        #expect(
            all.finish().hex == "0eb5135338b0e21dd5184ee15fe32b4d90283be3b12e979d5cab38455e952328")
    }
}

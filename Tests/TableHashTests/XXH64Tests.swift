import TableHash
import Testing

/// The expected values come from the reference implementation (python-xxhash over libxxhash), for
/// bytes `(i * 2654435761 >> 13) & 0xff`.
@Suite struct XXH64Tests {
    private static let seeds: [UInt64] = [0, 1, 0x9E37_79B1_85EB_CA87, .max]

    private static let vectors: [(count: Int, seed: UInt64, hash: UInt64)] = [
        (0, 0x0000_0000_0000_0000, 0xEF46_DB37_51D8_E999),
        (1, 0x0000_0000_0000_0001, 0x7719_17C7_F6EE_2451),
        (2, 0x9E37_79B1_85EB_CA87, 0x7DB0_753A_1983_6B22),
        (3, 0xFFFF_FFFF_FFFF_FFFF, 0xADA5_04D2_C9FD_0CCB),
        (4, 0x0000_0000_0000_0000, 0x91B6_5BBE_720C_34CF),
        (5, 0x0000_0000_0000_0001, 0xB89F_E7CB_A770_4888),
        (7, 0x9E37_79B1_85EB_CA87, 0xBD07_52F4_F57C_71C6),
        (8, 0xFFFF_FFFF_FFFF_FFFF, 0xD4EE_89D0_3550_03C2),
        (9, 0x0000_0000_0000_0000, 0x1925_35DE_38F7_3596),
        (11, 0x0000_0000_0000_0001, 0x54B9_A3E2_22BB_0F73),
        (12, 0x9E37_79B1_85EB_CA87, 0x826C_7AB6_428B_1F84),
        (13, 0xFFFF_FFFF_FFFF_FFFF, 0x8B6C_4D16_3591_C111),
        (15, 0x0000_0000_0000_0000, 0x4EE7_7AB3_71D0_6E31),
        (16, 0x0000_0000_0000_0001, 0x9A2A_9070_0483_E34F),
        (20, 0x9E37_79B1_85EB_CA87, 0x2312_BEEE_BCE1_1222),
        (24, 0xFFFF_FFFF_FFFF_FFFF, 0x09D4_21BC_0BDB_C5B7),
        (28, 0x0000_0000_0000_0000, 0x5967_7F4E_F8AF_5E38),
        (31, 0x0000_0000_0000_0001, 0x8B42_4A4A_7C7B_D029),
        (32, 0x9E37_79B1_85EB_CA87, 0xF046_7C73_17D0_2084),
        (33, 0xFFFF_FFFF_FFFF_FFFF, 0x580A_DB77_91F6_7BF6),
        (35, 0x0000_0000_0000_0000, 0x1DF5_BD24_169B_DD20),
        (36, 0x0000_0000_0000_0001, 0x3BF5_261A_14D4_6F7C),
        (39, 0x9E37_79B1_85EB_CA87, 0x20DD_13B7_A4AD_FB47),
        (40, 0xFFFF_FFFF_FFFF_FFFF, 0x62AC_0639_2162_EE9C),
        (47, 0x0000_0000_0000_0000, 0xBBC1_C6D4_2108_8B6A),
        (48, 0x0000_0000_0000_0001, 0x741D_1FFB_EB93_8526),
        (63, 0x9E37_79B1_85EB_CA87, 0x7657_291B_8964_A0E0),
        (64, 0xFFFF_FFFF_FFFF_FFFF, 0x6F10_CD18_EC04_0969),
        (65, 0x0000_0000_0000_0000, 0x7C79_5C59_456E_D577),
        (71, 0x0000_0000_0000_0001, 0x2CBA_D399_C052_3F88),
        (96, 0x9E37_79B1_85EB_CA87, 0x86A1_A982_755D_6327),
        (100, 0xFFFF_FFFF_FFFF_FFFF, 0x5A6E_0D0A_0952_8B50),
        (127, 0x0000_0000_0000_0000, 0x181C_CDAF_B569_956C),
        (128, 0x0000_0000_0000_0001, 0x151F_DD50_B587_43E4),
        (129, 0x9E37_79B1_85EB_CA87, 0xE8EC_7A62_493B_23E0),
        (200, 0xFFFF_FFFF_FFFF_FFFF, 0xF9D0_C514_A62D_E1DF),
        (255, 0x0000_0000_0000_0000, 0xFED0_A69E_1117_6032),
        (256, 0x0000_0000_0000_0001, 0x91E9_2EA6_FD3D_CC95),
        (299, 0x9E37_79B1_85EB_CA87, 0x2DF7_83F4_25C0_8601),
        (300, 0xFFFF_FFFF_FFFF_FFFF, 0x5F21_B186_7FB6_1D51),
    ]

    private func sample(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    }

    @Test func matchesTheReference() {
        for vector in Self.vectors {
            #expect(XXH64.hash(sample(vector.count), seed: vector.seed) == vector.hash)
        }
        #expect(XXH64.hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
    }

    /// One fold over 1,204 reference hashes covers every tail of every length to 300.
    @Test func matchesTheReferenceAtEveryLength() {
        var fold: UInt64 = 0
        for count in 0...300 {
            for seed in Self.seeds {
                fold = (fold &* 31) ^ XXH64.hash(sample(count), seed: seed)
            }
        }
        #expect(fold == 0x0D35_6062_B394_EC85)
    }

    @Test func alignmentDoesNotMatter() {
        let bytes = sample(300)
        for shift in 0..<16 {
            let shifted = [UInt8](repeating: 0, count: shift) + bytes
            shifted.withUnsafeBytes { raw in
                let window = UnsafeRawBufferPointer(rebasing: raw[shift...])
                #expect(XXH64.hash(window, seed: 7) == XXH64.hash(bytes, seed: 7))
            }
        }
    }

    @Test func anEmptyBufferWithoutAnAddressHashesAsEmpty() {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(XXH64.hash(empty) == 0xEF46_DB37_51D8_E999)
    }
}

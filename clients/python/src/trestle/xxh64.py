"""XXH64 with seed 0: of the package `xxhash` if it is there, else in Python (some 50 times slower)."""

import struct

_M = (1 << 64) - 1
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_WORD, _STRIPE = struct.Struct("<Q"), struct.Struct("<4Q")


def _rotate(x: int, r: int) -> int:
    return (x << r | x >> (64 - r)) & _M


def _round(lane: int, word: int) -> int:
    return _rotate((lane + word * _P2) & _M, 31) * _P1 & _M


def python_xxh64(data: bytes) -> int:
    """The hash of these bytes, 0 to 2⁶⁴ − 1."""
    length, at = len(data), 0
    if length >= 32:
        a, b, c, d = (_P1 + _P2) & _M, _P2, 0, -_P1 & _M
        whole = length // 32 * 32
        for at in range(0, whole, 32):
            w, x, y, z = _STRIPE.unpack_from(data, at)
            a, b, c, d = _round(a, w), _round(b, x), _round(c, y), _round(d, z)
        at = whole
        h = (_rotate(a, 1) + _rotate(b, 7) + _rotate(c, 12) + _rotate(d, 18)) & _M
        for lane in (a, b, c, d):
            h = ((h ^ _round(0, lane)) * _P1 + _P4) & _M
    else:
        h = _P5
    h = (h + length) & _M
    while at + 8 <= length:
        h = (_rotate(h ^ _round(0, _WORD.unpack_from(data, at)[0]), 27) * _P1 + _P4) & _M
        at += 8
    if at + 4 <= length:
        word = int.from_bytes(data[at:at + 4], "little")
        h = (_rotate(h ^ (word * _P1 & _M), 23) * _P2 + _P3) & _M
        at += 4
    for byte in data[at:]:
        h = _rotate(h ^ (byte * _P5 & _M), 11) * _P1 & _M
    h = (h ^ h >> 33) * _P2 & _M
    h = (h ^ h >> 29) * _P3 & _M
    return h ^ h >> 32


try:
    from xxhash import xxh64_intdigest as _library
except ImportError:
    xxh64 = python_xxh64
else:
    def xxh64(data: bytes) -> int:
        """The hash of these bytes, 0 to 2⁶⁴ − 1."""
        return int(_library(data))

import CZeroMQ
import TableModel

extension ID128 {
    /// 128 bits from the kernel.
    static func random() -> ID128 {
        var generator = SystemRandomNumberGenerator()
        return ID128(high: generator.next(), low: generator.next())
    }
}

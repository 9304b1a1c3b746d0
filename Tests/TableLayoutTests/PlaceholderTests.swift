import TableLayout
import Testing

@Test func placeholder() { #expect(Metrics.point.width(of: "") == 0) }

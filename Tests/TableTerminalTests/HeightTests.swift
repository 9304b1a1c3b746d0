import Foundation
import SeededNumbers
import TableLayout
import TableModel
import Testing

@testable import TableTerminal

/// A terminal's rows have the heights of the layout, to the unit, and stand below each other without a gap.
struct HeightTests {
    private static let rounds = ProcessInfo.processInfo.environment["FULL"] == "1" ? 10_000 : 300

    @Test func randomTables() throws {
        var random = SplitMix64(seed: 50)
        var natural = 0
        for round in 0..<Self.rounds {
            let width = 16 + random.below(120)
            let table = try EmphasisTests.table(&random)
            let stage = Stage(table, width: width, height: 400, isDense: random.once(in: 4))
            let board = stage.board
            board.settle()
            let index = try #require(board.index)
            let rows = TableFrames(table, widthPoints: board.widthPoints, metrics: board.metrics)
                .rows
            #expect(board.flow.compactMap(\.row) == rows.map(\.id))
            for frame in rows {
                #expect(
                    index.height(of: frame.id) == frame.height, "\(round): \(frame.id), \(width)")
                #expect(index.offset(of: frame.id) == frame.y, "\(round): \(frame.id), \(width)")
                let block = try #require(board.block(of: frame.id))
                let lines = max(1, Int((frame.height / board.metrics.cellHeightPoints).rounded()))
                if block.lines == lines {
                    natural += 1
                    continue
                }
                // A dense row, or one whose badges take columns, has as many lines as its texts need.
                let row = try #require(table.row(frame.id))
                let drawn = RowLines(board: board, table: table, row: row, block: block)
                #expect(block.lines == drawn.neededLines && block.lines > lines, "\(round)")
            }
            for (above, below) in zip(board.flow, board.flow.dropFirst()) {
                #expect(below.y == above.end, "\(round)")
            }
        }
        #expect(natural > 2 * Self.rounds)
    }
}

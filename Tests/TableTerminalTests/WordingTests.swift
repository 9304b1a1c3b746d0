import TableModel
import TableSync
import Testing

@testable import TableTerminal

/// The viewer speaks the languages of the page's catalogue.
@Suite struct WordingTests {
    @Test(
        arguments: [
            ("de_AT.UTF-8", "de"), ("AR_EG", "ar"), ("ja", "ja"), ("fr@euro", "fr"),
            ("C.UTF-8", nil),
            ("pt_BR", nil), ("", nil), ("\u{301}de", nil), ("dev", nil),
        ] as [(String, String?)])
    func theLanguageOfALocale(_ locale: String, _ language: String?) {
        #expect(Wording(locale: locale)?.language == language)
    }

    @Test func pluralsAndValues() throws {
        func rows(_ code: String) throws -> [String] {
            let words = try #require(Wording(code))
            return [0, 1, 2, 3, 11, 100, 1_000, 1_111].map { words("rows", ["count": $0]) }
        }
        #expect(try rows("en").prefix(3) == ["0 rows", "1 row", "2 rows"])
        #expect(try rows("fr").prefix(3) == ["0 ligne", "1 ligne", "2 lignes"])
        #expect(
            try rows("ar") == [
                "لا صفوف", "صف واحد", "صفان", "3 صفوف", "11 صفًا", "100 صف", "1000 صف", "1111 صفًا",
            ])
        // Braces and signs in a value belong to the value.
        let said = Wording.english("filter.none", ["text": "{all} #, plural"])
        #expect(said == "No row has \"{all} #, plural\".")
        let tried: (Int) -> String = { count in
            Wording.english(
                "tried.now", ["count": count, "why": "x", "attempt": count + 1, "most": 9])
        }
        #expect(tried(2) == "failed twice (x), again now (3 of 9)")
        #expect(tried(4) == "failed 4 times (x), again now (5 of 9)")
        #expect(Wording.english("nothing.such") == "nothing.such")
    }

    @Test func refusalsAreSaidByTheirCodes() throws {
        let german = try #require(Wording("de"))
        let claimed = Rejection(
            .claimed, "Row \"t1\" is claimed by Ana.",
            saying: Saying("claimed.by", ["who": "Ana"]))
        #expect(german.refusal(claimed) == "Ana arbeitet daran.")
        #expect(Wording.english.refusal(claimed) == claimed.message)
        let gone = Rejection(
            .noSuchLease, "There is no lease.",
            saying: Saying("putDown.movedBy", ["who": "Ana"]))
        #expect(german.refusal(gone) == "Sie wurde abgelegt: Ana hat sie verschoben.")
        let own = Rejection(.guarded, "Pay first.", saying: Saying("said", ["text": "Pay first."]))
        #expect(german.refusal(own) == "Pay first.")
        let plain = Rejection(.noSuchRow, "There is no row \"t1\".")
        #expect(german.refusal(plain) != plain.message)
        let strange = Rejection(.tooManyFrames, "9 frames are too many.")
        #expect(german.refusal(strange) == strange.message, "there is no sentence for it")
    }

    @Test func whereRowsLandedIsSaidFromData() throws {
        let german = try #require(Wording("de"))
        let there = Landing(row: "a")
        let saying = Saying("after.removed", ["row": "b", "gone": "c"])
        let note = "after b: c was removed"
        let noted = Landing(row: "d", note: note, saying: saying)
        #expect(german.note([there, noted]) == "Die Zeile steht hinter b: c wurde entfernt.")
        #expect(Wording.english.note([there, noted]) == note)
        #expect(german.note([there]) == nil)
        let strange = Landing(row: "d", note: note, saying: Saying("of.tomorrow"))
        #expect(german.note([strange]) == german("landed.elsewhere"))
    }

    @Test func whyAnActionFailedIsSaidFromItsForm() throws {
        let german = try #require(Wording("de"))
        let late = OwnReason.late.text("600")
        #expect(german.reason(late) == "keine Antwort innerhalb von 10 Min.")
        #expect(Wording.english.reason(late) == late)
        #expect(german.reason(OwnReason.lost.text("bot")) == "bot ist ausgefallen")
        #expect(german.reason(OwnReason.signal.text("9")) == "es hat nicht geklappt")
        for other in ["no paper", OwnReason.late.text("1e99"), OwnReason.late.text("soon")] {
            #expect(german.reason(other) == other)
        }
    }

    @Test func historyAndFaultsAreSaidFromData() throws {
        let (german, arabic) = (try #require(Wording("de")), try #require(Wording("ar")))
        let values: [Row.Field] = [.init("row", "Fries"), .init("more", "24")]
        var change = HistoryPage.Change(
            revision: 9, cause: Cause(verb: "undo", undoes: 8), text: "ana undid revision 8: …",
            sayings: [Saying("remove", values: values), Saying("of another release")])
        #expect(german.story(change) == "Zurückgenommen: „Fries“ und 24 weitere entfernt")
        #expect(arabic.story(change) == "تراجع عن: أزال «Fries» و24 غيرها")
        #expect(Wording.english.story(change) == change.text)
        change.sayings = []
        #expect(german.story(change) == "Zurückgenommen: Eine Änderung")
        change.cause = Cause(verb: "act")
        change.sayings = [
            Saying("act", ["action": "bump", "row": "Fries"]),
            Saying("set", ["row": "Fries", "field": "state", "value": "ready"]),
        ]
        for words in [german, .english] {
            #expect(
                words.told(change) { "\($0)!" }
                    == words(
                        "story.act",
                        ["action": "bump!", "row": words("story.row", ["row": "Fries"])]))
        }
        change.cause = Cause(verb: "batch")
        change.sayings.swapAt(0, 1)
        #expect(
            Wording.english.told(change) { $0 }
                == "bump: “Fries” · Set state of “Fries” to “ready”")
        change.cause = Cause(verb: "swipe")
        #expect(german.told(change) { $0 } == nil)
        change.cause = Cause(verb: "undo", undoes: 8)
        change.sayings = [Saying("remove", ["row": "Fries"])]
        #expect(Wording.english.told(change) { $0 } == "Took back: Removed “Fries”")
        let fault = try #require(Action.Guard(when: "age > ").fault)
        #expect(german.fault(fault) == "hier gehört ein Wert hin, nicht das Ende")
        #expect(Wording.english.fault(fault) == "expected a value, found the end")
    }

    /// Each language, in each list and form over the rows: a key without a message would be seen as itself.
    @Test(arguments: Wording.languages) func everyScreen(_ language: String) throws {
        let words = try #require(Wording(language))
        let stage = Stage(try Tables.kitchen(), width: 100, height: 50, words: words)
        for keys in [
            "", "?", "e", "r", "#", ":history\r", ":pause\r", ":snooze x\r", "/age >\r", "/zzz",
            ":bad\r", "\u{1B}[C", "m", "E", "v",
        ] {
            stage.type(keys)
            let screen = stage.screen
            let unsaid = screen.split { !($0.isLetter || $0 == ".") }.filter {
                $0.contains(".") && words(String($0)) == $0 && $0.first?.isLowercase == true
                    && $0.split(separator: ".").count > 1
            }
            #expect(unsaid.isEmpty, "\(keys): \(unsaid)")
            #expect(["en", "de"].contains(language) == screen.contains("● live"), "\(keys)")
            stage.type("\u{1B}")
            stage.type("\u{1B}")
        }
    }

    @Test func anotherTableIsAskedFor() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type(":table\r")
        #expect(stage.screen.contains("table NAME"))
        stage.type(":table bar\r")
        #expect(stage.wishes.last == .table("bar"))
        let kiosk = Stage(try Tables.kitchen(), station: Station(isKiosk: true))
        kiosk.type(":table bar\r")
        #expect(kiosk.wishes.isEmpty)
    }

    /// Texts typed into a form are not lost without a word.
    @Test func anotherTableWaitsForForms() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("jex\u{1B}")
        stage.type(":table bar\r")
        #expect(stage.wishes.last != .table("bar"))
        #expect(stage.screen.contains("Typed and not sent"))
        stage.type(":table bar\r")
        #expect(stage.wishes.last == .table("bar"))
    }
}

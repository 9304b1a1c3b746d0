// Made by Tests/WebTests/languages.test.mjs from web/languages/de.json.
// swift-format-ignore-file

extension Catalogue {
    static let de = Wording.Language(
        code: "de",
        plurals: "xoxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        messages: #"""
        absent	Es gibt keine Tafel {name}.
        absent.more	Sie erscheint hier, sobald sie angelegt ist.
        acts.lack	{rows} von {count} markierten haben dort keine Aktion {action}.
        add.none	{key} fügt eine hinzu.
        added	{row} hinzugefügt.
        age.days	{days} T
        age.hours	{hours} h {minutes}
        ago	vor {age}
        anew	Was hier stand, war falsch, und wurde neu geholt.
        arrives	Eine Zeile erscheint hier, sobald sie kommt.
        back	{row} ist wieder da.
        back.already	{row} ist schon wieder da.
        back.place	{why} Sie ist wieder an ihrem Platz.
        clock.fast	Uhr geht {span} vor
        clock.slow	Uhr geht {span} nach
        command.add	add TITEL: eine Zeile unter der gewählten
        command.dense	dense: ein Zeilenplatz je Zeile, oder so viele, wie sie hoch ist
        command.edit	edit on | off
        command.expand	expand all | none
        command.filter	filter WÖRTER
        command.goto	goto ZEILE: wählt sie
        command.mark	mark all | none
        command.mouse	mouse on | off
        command.none	Es gibt keinen Befehl „{name}“, nur {all}.
        command.pause	:pause all oder die Kennung eines Abschnitts, und warum: :pause grill kein Gas
        command.section	section NAME: geht dorthin
        command.set	set FELD=WERT: der Zeile
        command.snooze	:snooze für eine Weile oder bis zu einer Uhrzeit: :snooze 45m, 2h oder 14:30
        command.sort	sort FELDER: etwa -age,title; ohne Felder wie zuvor
        command.table	table NAME: zeigt eine andere Tafel
        command.totals	totals FELD: wie viele je Wert; ohne Feld je Titel
        daemon.none	Noch hat kein Server geantwortet: nichts wurde geändert.
        deed	{action}: {what}
        deed.by	{action}: {what}, von {who}
        delete	Löschen
        deleted	{row} gelöscht.
        did	{done}: {row}
        did.moved	verschoben
        drag.back	Zurückgelegt.
        dropped	Die Tafel wurde aufgelöst.
        edit	BEARBEITEN
        edit.all	BEARBEITEN: alle
        edit.by	BEARBEITEN: alle, von {who}
        edit.first	Erst den Bearbeitungsmodus einschalten: {key}.
        edit.here	Dieser Bildschirm ist im Bearbeitungsmodus: nichts lässt sich aufwischen. {key} beendet ihn.
        edit.noControl.delete	Zeilen der Art {kind} lassen sich nicht löschen.
        edit.noControl.insert	Unter Zeilen der Art {kind} lässt sich nichts einfügen.
        edit.off	{who} hat den Bearbeitungsmodus beendet.
        edit.off.redo	{who} hat den Bearbeitungsmodus durch Wiederholen beendet.
        edit.off.undo	{who} hat den Bearbeitungsmodus durch Rückgängigmachen beendet.
        edit.on	{who} hat den Bearbeitungsmodus für alle eingeschaltet: nichts lässt sich wischen. {key} beendet ihn.
        edit.on.redo	{who} hat den Bearbeitungsmodus durch Wiederholen für alle eingeschaltet: nichts lässt sich wischen. {key} beendet ihn.
        edit.on.undo	{who} hat den Bearbeitungsmodus durch Rückgängigmachen für alle eingeschaltet: nichts lässt sich wischen. {key} beendet ihn.
        edit.over	Der Bearbeitungsmodus für alle ist zu Ende, da ihn niemand mehr hielt.
        edit.table	Die Tafel ist im Bearbeitungsmodus: nichts lässt sich aufwischen. {key} beendet ihn.
        empty	leer
        empty.section	{section} ist leer.
        empty.table	{name} hat keine Zeilen.
        empty.was	{name} hatte keine Zeilen, als zuletzt etwas zu hören war.
        failed	{action} misslang: {why}
        fault.comma	hier gehört ein Komma hin oder das Ende, nicht {found}
        fault.comparison	hier gehört ein Vergleich wie `==` hin, nicht {found}
        fault.end	das Ende
        fault.escape	nach \ gehört eines von {signs}
        fault.id	hier gehört eine Kennung in Anführungszeichen hin, nicht {found}
        fault.joined	hier gehört `and`, `or` oder das Ende hin, nicht {found}
        fault.name	hier gehört ein Name hin, nicht {found}
        fault.names	möglich sind: {names}
        fault.noneOf	`{what}` ist keines von: {names}
        fault.notAlone	`{what}` gehört nicht zur Zeile allein: title, kind, state, items und field.NAME tun es
        fault.notOfRow	`{what}` gehört nicht zur Zeile: {names} und now tun es
        fault.number	`{text}` ist keine Zahl
        fault.ofRow	`{what}` gehört zu einer Zeile: {code} schreiben oder nach `where` verwenden
        fault.open	dieser Text hat kein Ende
        fault.strange	hier steht nichts, was mit `{sign}` beginnt
        fault.tooDeep	mehr als {most} Ebenen
        fault.tooLong	mehr als {most} Wörter und Zeichen
        fault.unknown	`{what}` ist hier nicht bekannt
        fault.value	hier gehört ein Wert hin, nicht {found}
        fault.wanted	hier gehört {wanted} hin, nicht {found}
        fault.written	`{sign}` schreibt sich `{right}`
        filter.clear	{key} zeigt alle Zeilen.
        filter.found	{count} von {all} Zeilen haben „{text}“. {key} zeigt alle.
        filter.none	Keine Zeile hat „{text}“.
        find.count	{found} von {all}
        form.cleared	inzwischen: entfernt
        form.edit	{row} bearbeiten
        form.edit.gone	{row} bearbeiten: sie wurde entfernt
        form.field	+ Feld
        form.field.how	Für ein weiteres Feld FELD=WERT schreiben.
        form.gone	Jemand hat die Zeile entfernt: {key} holt sie vielleicht zurück.
        form.kept	Aufgehoben und nicht gesendet. {key} zeigt es wieder.
        form.kind	Art
        form.meanwhile	inzwischen: {text}
        form.new	Neue Zeile
        form.noKind	Es gibt keine Art {kind}, nur {all}.
        form.noSection	Es gibt keinen Abschnitt {section}, nur {all}.
        form.others	Andere haben inzwischen dasselbe geändert: beides ist zu sehen. {key} sendet noch einmal deins.
        form.section	Abschnitt
        form.sending	wird gesendet …
        form.sending.wait	Es wird gesendet. {key} schließt es derweil.
        form.thrown	Verworfen: nichts wurde geändert.
        form.title	Titel
        form.unsent	Getippt und nicht gesendet: {names}. {key} verwirft es beim zweiten Mal.
        form.unsent.new	eine neue Zeile
        fresh.absent	keine solche Tafel
        fresh.catchingUp	holt auf
        fresh.connecting	verbindet
        fresh.disconnected	getrennt
        fresh.live	live
        fresh.stale	veraltet {count} s
        fresh.waiting	wartet
        hand.gone	Jemand hat entfernt, was angehoben war.
        hand.held	{who} hat {row} in der Hand.
        hand.nowhere	Zurückgelegt: dort ist kein Platz dafür.
        hand.other	Erst ablegen: {drop} legt ab, {back} legt zurück.
        hand.pinned	Zeilen der Art {kind} werden nicht verschoben.
        hand.sorted	Dieser Bildschirm ist nach {keys} geordnet: hier wird keine Zeile verschoben.
        hand.stays	Sie bleibt, wo sie war.
        hand.why	Zurückgelegt: {why}.
        help	Hilfe
        help.click	eine Zeile wählen; noch einmal, oder auf ihren Pfeil: öffnen oder schließen
        help.digit	die Aktion mit dieser Ziffer ausführen, einer aufgewischten Zeile oder eines Menüs
        help.lift	eine Zeile anheben und verschieben; Esc legt sie zurück
        help.nothing	Nichts passt.
        help.search	Hilfe: tippen sucht
        help.swipe	eine Zeile wischen, Schritt für Schritt; über die Marke hinaus: sofort ihre erste Aktion
        help.wheel	blättern
        hint.actions	Aktionen
        hint.add	neu
        hint.addRow	Zeile hinzufügen
        hint.bringBack	zurückholen
        hint.choose	wählen
        hint.close	schließen
        hint.delete	löschen
        hint.done	fertig
        hint.drag	ziehen
        hint.drop	hier ablegen
        hint.edit	bearbeiten
        hint.filter	filtern
        hint.help	Hilfe
        hint.insert	darunter einfügen
        hint.itemMenu	seine Aktionen
        hint.items	Posten
        hint.keep	aufheben
        hint.line	Zeile
        hint.move	verschieben
        hint.notShown	nicht gezeigt:
        hint.open	öffnen
        hint.perform	ausführen
        hint.putBack	zurücklegen
        hint.quit	beenden
        hint.recall	zurückholen
        hint.release	loslassen
        hint.releaseTo	öffnet, jenseits der Marke führt es aus
        hint.scroll	blättern
        hint.search	suchen
        hint.select	wählen
        hint.send	senden
        hint.throwAway	verwerfen
        hint.undo	rückgängig
        history.lost	Der Server hat Änderungen verloren, die hier zu sehen waren.
        history.other	Der Server hat eine andere Geschichte.
        history.takenBack	zurückgenommen
        key.add	diesem Abschnitt eine Zeile hinzufügen
        key.cancel	abbrechen: ablegen, schließen, Filter löschen
        key.claim	sagen, dass du an der Zeile arbeitest, oder nicht mehr
        key.collapse-all	alle Zeilen schließen
        key.command	eine Befehlszeile: add, set, sort, goto, section, expand, mouse, quit …
        key.delete	im Bearbeitungsmodus die Zeile löschen, die ein − hat
        key.density	ein Zeilenplatz je Zeile, oder so viele, wie sie hoch ist
        key.down	die nächste Zeile; angehoben: einen Platz tiefer
        key.edit	Bearbeitungsmodus dieses Bildschirms an oder aus: darin lässt sich nichts wischen
        key.enter	die gewählte Aktion ausführen, ablegen, einen Posten antippen, oder öffnen
        key.expand	die Zeile öffnen, einen Zustand weiter, oder schließen
        key.expand-all	alle Zeilen öffnen
        key.filter	nur Zeilen mit diesen Wörtern zeigen, oder mit Feld=Wort
        key.first	die erste Zeile
        key.help	diese Liste; tippen sucht darin
        key.insert	im Bearbeitungsmodus unter der Zeile mit + eine einfügen
        key.last	die letzte Zeile
        key.left	die Aktionen rechts aufdecken, oder die nächste; im Streifen der Posten davor
        key.lift	die Zeile anheben, um sie zu verschieben
        key.mark	die Zeile markieren, oder nicht mehr: was mit einer markierten geschieht, geschieht mit allen
        key.menu	die Aktionen des gewählten Postens
        key.mouse	Maus an oder aus; ist sie aus, wählt das Terminal wieder Text aus
        key.next-late	die nächste Zeile, die zu spät ist oder bald wird
        key.next-section	der nächste Abschnitt
        key.page-down	einen Bildschirm tiefer; mit gewähltem Posten eine Seite seines Streifens
        key.page-up	einen Bildschirm höher; mit gewähltem Posten eine Seite seines Streifens
        key.previous-section	der Anfang dieses Abschnitts, oder der Abschnitt davor
        key.quit	beenden
        key.recall	was zuletzt entfernt oder bearbeitet wurde, um es zurückzuholen
        key.redo	Zurückgenommenes wiederholen
        key.redraw	den Bildschirm neu zeichnen
        key.right	die Aktionen links aufdecken, oder die nächste; im Streifen der nächste Posten
        key.select	die Zeile oder den Posten antippen: was ihre Art sagt, geschieht
        key.set	die Zeile bearbeiten: Titel, Felder und Art
        key.snooze	die Zeile um 10 Minuten aufschieben, oder wecken
        key.suspend	den Betrachter anhalten; `fg` setzt ihn fort
        key.totals	wie viele es von jedem Titel unter den gezeigten Zeilen gibt
        key.undo	deine letzte Änderung zurücknehmen
        key.up	die Zeile davor; angehoben: einen Platz höher
        keys.actions	{count, plural, one {Hier gibt es eine Aktion.} other {Hier gibt es # Aktionen.}}
        keys.noneLate	Keine Zeile ist zu spät.
        kiosk	Das ist der Bildschirm eines Platzes. Ctrl-C beendet ihn.
        lag	Verzug {count} ms
        landed.after.moved	Die Zeile steht hinter {row}: {gone} wurde verschoben.
        landed.after.pinned	Die Zeile steht hinter {row}: Keine Zeile kommt an angehefteten vorbei.
        landed.after.removed	Die Zeile steht hinter {row}: {gone} wurde entfernt.
        landed.attempt.later	Versuch {attempt} von {most} ist gescheitert. Der nächste ist in {seconds} s fällig.
        landed.attempt.now	Versuch {attempt} von {most} ist gescheitert. Der nächste ist jetzt fällig.
        landed.effectsLeftOut	Die späteren Wirkungen wurden ausgelassen: {why}
        landed.elsewhere	Nicht genau am alten Platz: die Zeilen daneben haben sich geändert.
        landed.sectionStays	Der Abschnitt {section} bleibt: Er hat Zeilen.
        landed.top.moved	Die Zeile steht oben in {section}: {gone} wurde verschoben.
        landed.top.pinned	Die Zeile steht oben in {section}: Keine Zeile kommt an angehefteten vorbei.
        landed.top.removed	Die Zeile steht oben in {section}: {gone} wurde entfernt.
        lifted	angehoben
        marked	{count} markiert
        marked.rows	{rows} markiert. {key} nimmt die Marken weg.
        menu.empty	Es hat keine Aktionen mehr.
        menu.none	Dieser Posten hat kein Menü.
        menu.rows	Zeilen haben ihre Aktionen hinter sich: {left} {right}.
        moment	Einen Moment …
        more	{count} weitere
        mouse.off	Die Maus ist aus: das Terminal wählt Text aus. {key} schaltet sie ein.
        mouse.on	Die Maus ist an.
        newRow	neue Zeile in {section}:
        no	nein
        noActions.left	Links gibt es keine Aktionen.
        noActions.right	Rechts gibt es keine Aktionen.
        noAnswer	{what}: noch keine Antwort
        noItems	keine Posten
        noRow	Es gibt keine Zeile {row}.
        noRow.here	Zeile {row} ist auf diesem Bildschirm nicht zu sehen.
        noRow.selected	Keine Zeile ist gewählt.
        noRow.station	Keine Zeile ist für diesen Bildschirm.
        noSection	Es gibt keinen Abschnitt {section}.
        notConnected	Nicht verbunden.
        notConnected.rows	Ob {name} Zeilen hat, ist nicht bekannt.
        notConnected.yet	Noch nicht verbunden: nichts wurde geändert.
        notDone	Nicht getan.
        oneHeight	Zeilen der Art {kind} haben nur eine Höhe.
        outOfSight	Das ist die gewählte Zeile: sie war nicht zu sehen.
        paused	ANGEHALTEN {what}, {why}
        putDown.board	das Board gibt es nicht mehr
        putDown.columns	das Board hat jetzt andere Spalten
        putDown.connection	die Verbindung ist abgerissen
        putDown.late	sie wurde zu lange gehalten
        putDown.moved	sie wurde verschoben
        putDown.movedBy	{who} hat sie verschoben
        putDown.removed	jemand hat sie weggenommen
        putDown.removedBy	{who} hat sie weggenommen
        putDown.why	Sie wurde abgelegt: {why}.
        reason.failed	es hat nicht geklappt
        reason.late	keine Antwort innerhalb von {span}
        reason.lost	{who} ist ausgefallen
        reason.unfinished	es lief noch, als das Board exportiert wurde
        reason.unknown	niemand weiß, wie es ausging
        recall	Zurückholen
        recall.nothing	In letzter Zeit wurde nichts entfernt oder erledigt.
        redone	Wiederholt
        refusal.alreadyDone	Das ist schon getan oder läuft.
        refusal.alreadyUndone	Das wurde schon zurückgenommen.
        refusal.badAnchor	Dorthin geht es nicht.
        refusal.badCode	Der Code gilt nicht. Bitte um einen neuen bitten.
        refusal.cannotMove	Sie lässt sich nicht verschieben.
        refusal.cannotRemove	Sie lässt sich nicht entfernen.
        refusal.claimed	Jemand anders arbeitet daran.
        refusal.claimed.by	{who} arbeitet daran.
        refusal.conflict	Es hat sich seither geändert. Erst jenes zurücknehmen.
        refusal.diskFull	Der Server hat keinen Platz mehr. Solange lässt sich nichts ändern.
        refusal.editing	Bearbeiten für alle ist an: Keine Zeile lässt sich wischen, keine Aktion ausführen.
        refusal.guarded	Das geht damit jetzt nicht.
        refusal.leased	Jemand verschiebt sie gerade.
        refusal.leased.by	{who} verschiebt sie gerade.
        refusal.needsConfirmation	Jetzt wird erst gefragt. Bitte noch einmal drücken.
        refusal.noDaemon	Der Server hinter dieser Seite antwortet nicht.
        refusal.noFullSwipe	Das geht durch Weiterwischen nicht mehr.
        refusal.noSection	Den Abschnitt „{section}“ gibt es noch nicht, und dieser Bildschirm darf ihn nicht anlegen.
        refusal.noSuchAction	Das geht damit nicht mehr.
        refusal.noSuchItem	Der Eintrag ist weg: Jemand hat ihn weggenommen.
        refusal.noSuchKind	Dieses Board hat keine Zeilen dieser Art mehr.
        refusal.noSuchLease	Sie wurde vor dem Loslassen abgelegt.
        refusal.noSuchRow	Die Zeile ist weg: Jemand hat sie weggenommen.
        refusal.noSuchSection	Den Abschnitt gibt es nicht mehr.
        refusal.noSuchState	So lässt sie sich nicht mehr zeigen.
        refusal.noSuchTable	Dieses Board gibt es nicht mehr.
        refusal.notClaimed	Daran arbeitet hier niemand.
        refusal.notConnected	Nicht verbunden: Nichts wurde geändert.
        refusal.notLeader	Ein anderer Server übernimmt. Bitte gleich noch einmal versuchen.
        refusal.notPaired	Dieser Bildschirm ist nicht mehr eingelassen.
        refusal.notUndoable	Das lässt sich nicht zurücknehmen.
        refusal.nothingToRedo	Es gibt nichts zu wiederholen.
        refusal.nothingToUndo	Es gibt nichts zurückzunehmen.
        refusal.onlyOneOpen	Auf diesem Board kann nur eine Zeile offen sein.
        refusal.paused	Es ist angehalten: Neues wird nicht begonnen.
        refusal.pinned	Sie hat einen festen Platz. Nichts kommt an ihr vorbei.
        refusal.revoked	Dieser Bildschirm wurde von der Liste genommen. Bitte neu koppeln.
        refusal.role	Dieser Bildschirm darf das nicht.
        refusal.sent	{what} wurde abgeschickt und lässt sich nicht zurücknehmen.
        refusal.stale	Jemand hat sie gerade geändert. Bitte nachsehen und noch einmal versuchen.
        refusal.timeout	Es kam keine Antwort. Bitte noch einmal versuchen.
        refusal.tooLarge	Das ist zu lang.
        refusal.tooMuch	Das war zu viel auf einmal. Bitte eine Minute warten.
        refusal.unknown	Ob das getan wurde, ist nicht bekannt. Bitte nachsehen.
        refusal.wrongEdge	Das geht damit nicht mehr.
        release	loslassen: {action}
        removed	entfernt
        reveal.first	Erst die Aktionen aufdecken: {left} oder {right}.
        revision	Rev. {revision}
        rowGone	Jemand hat die Zeile entfernt.
        rows	{count, plural, one {# Zeile} other {# Zeilen}}
        set.how	Schreibe :set FELD=WERT. Auch title und kind sind Felder.
        somebody	Jemand
        span.hours	{count} Std.
        span.minutes	{count} Min.
        span.minutesShort	{count} m
        span.seconds	{count} s
        story	Was mit {row} geschah
        story.across.after	{row} von {from} nach {to} verschoben, nach „{other}“
        story.across.top	{row} von {from} nach {to} verschoben, ganz oben
        story.act	{action}: {row}
        story.actions	{row} hat andere Aktionen
        story.add.after	{row} nach „{other}“ hinzugefügt
        story.add.top	{row} oben in {section} hinzugefügt
        story.again	Wird wieder versucht
        story.back.after	{row} nach „{other}“ zurückgeholt
        story.back.top	{row} oben in {section} zurückgeholt
        story.callOff	{action} abgesagt: {row}
        story.claim	Arbeitet an {row}
        story.claimNote	Arbeitet an {row}: {note}
        story.clear	{field} von {row} geleert
        story.close	{row} geschlossen
        story.closeAll	Alle Zeilen geschlossen
        story.edit	Bearbeiten des Boards begonnen
        story.editEnd	Bearbeiten des Boards beendet
        story.fail	Misslungen: {why}
        story.field	{field} ist jetzt „{value}“
        story.field.was	{field} ist jetzt „{value}“, vorher „{was}“
        story.finish	Es wurde erledigt
        story.forgotten	Nicht mehr bekannt
        story.itemIn	„{item}“ in {row} gelegt
        story.itemMove	In {row} etwas verschoben
        story.itemOut	„{item}“ aus {row} genommen
        story.itemSet	„{item}“ in {row} geändert
        story.keep	Titel von {row} behalten
        story.kind	{row} ist jetzt {kind}
        story.kinds	Arten der Zeilen geändert
        story.mark	{row} markiert
        story.more	{count, plural, one {# weitere Änderung} other {# weitere Änderungen}}
        story.move.after	{row} nach „{other}“ verschoben
        story.move.top	{row} nach oben in {section} verschoben
        story.none	Es ist nichts bekannt.
        story.open	{row} geöffnet
        story.openAll	Alle Zeilen geöffnet
        story.other	Eine Änderung
        story.pause	{what} angehalten
        story.redo	Wiederholt: {what}
        story.release	Die Arbeit wartet wieder
        story.remove	{row} entfernt
        story.rename	„{was}“ in {row} umbenannt
        story.renameAll	{row} in „{value}“ umbenannt
        story.rest	Misslungen, wird wieder versucht: {why}
        story.restored	Zurückgesetzt, was an {row} getan wurde
        story.resume	{what} geht weiter
        story.row	„{row}“
        story.rows	„{row}“ und {more} weitere
        story.scroll	{row} verschoben angesehen
        story.section	Abschnitt {section} angelegt
        story.sectionEnd	Abschnitt {section} entfernt
        story.sectionName	Abschnitt {section} heißt jetzt „{value}“
        story.select	{row} gewählt
        story.set	{field} von {row} ist jetzt „{value}“
        story.set.was	{field} von {row} ist jetzt „{value}“, vorher „{was}“
        story.settings	Einstellungen geändert
        story.sleep	{row} zurückgestellt
        story.states	{row} sieht anders aus
        story.swap	{row} und „{other}“ vertauscht
        story.swipe	Aktionen von {row} geöffnet
        story.swipeEnd	Aktionen von {row} geschlossen
        story.take	{who} hat die Arbeit übernommen
        story.unclaim	Arbeitet nicht mehr an {row}
        story.undo	Zurückgenommen: {what}
        story.unmark	Markierung von {row} entfernt
        story.wake	{row} geweckt
        strip.first	Erst einen Posten des Streifens wählen: ← →.
        tooSmall	zu klein
        totals.nothing	Es gibt nichts zu zählen.
        totals.of	Summen nach {field}
        totals.titles	Summen nach Titel
        tried.at	{count, plural, =1 {einmal} one {#-mal} other {#-mal}} misslungen ({why}), wieder um {time} ({attempt} von {most})
        tried.now	{count, plural, =1 {einmal} one {#-mal} other {#-mal}} misslungen ({why}), jetzt wieder ({attempt} von {most})
        undone	Rückgängig
        unknown.table	Noch ist nichts davon bekannt.
        until	bis {time}
        viewers	{count, plural, one {# Betrachter} other {# Betrachter}}: {names}
        waiting.daemon	Warten auf den Server …
        waiting.daemon.more	{name} erscheint hier, sobald er antwortet.
        waiting.table	Warten auf {name} …
        what.adding	Zeile hinzufügen
        what.changing	{row} ändern
        what.claiming	übernehmen
        what.closing	{row} schließen
        what.closingAll	alle Zeilen schließen
        what.editMode	Bearbeitungsmodus
        what.lifting	{row} anheben
        what.moving	{rows} verschieben
        what.opening	{row} öffnen
        what.openingAll	alle Zeilen öffnen
        what.pause	anhalten
        what.puttingOff	aufschieben
        what.recalling	{row} zurückholen
        what.redo	wiederholen
        what.resume	weitermachen
        what.scrolling	{row} blättern
        what.selecting	{row} wählen
        what.several	{what}, {rows}
        what.undo	rückgängig
        yes	ja
        """#)
}

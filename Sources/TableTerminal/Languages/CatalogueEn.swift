// Made by Tests/WebTests/languages.test.mjs from web/languages/en.json.
// swift-format-ignore-file

extension Catalogue {
    static let en = Wording.Language(
        code: "en",
        plurals: "xoxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        messages: #"""
        absent	There is no table {name}.
        absent.more	It appears here when it is made.
        acts.lack	{rows} of {count} marked have no action {action} there.
        add.none	{key} adds one.
        added	Added {row}.
        age.days	{days} d
        age.hours	{hours} h {minutes}
        ago	{age} ago
        anew	What was held here was wrong, and was fetched anew.
        arrives	A row appears here when it comes.
        back	{row} is back.
        back.already	{row} is back already.
        back.place	{why} It is back in its place.
        clock.fast	clock {span} fast
        clock.slow	clock {span} slow
        command.add	add TITLE: a row, below the selected one
        command.dense	dense: one line for a row, or as many as it is high
        command.edit	edit on | off
        command.expand	expand all | none
        command.filter	filter WORDS
        command.goto	goto ROW: selects it
        command.mark	mark all | none
        command.mouse	mouse on | off
        command.none	No command "{name}": there are {all}.
        command.pause	:pause all, or the id of a section, and why, as in :pause grill no gas
        command.section	section NAME: goes there
        command.set	set KEY=VALUE: of the row
        command.snooze	:snooze for a while or until a time, as in :snooze 45m, 2h or 14:30
        command.sort	sort KEYS: as -age,title; without keys as before
        command.table	table NAME: shows another table
        command.totals	totals FIELD: how many of each value; without a field, of each title
        daemon.none	No daemon has answered yet: nothing was changed.
        deed	{action} of {what}
        deed.by	{action} of {what}, by {who}
        delete	Delete
        deleted	Deleted {row}.
        did	{done}: {row}
        did.moved	moved
        drag.back	Put back.
        dropped	The table was dropped.
        edit	EDIT
        edit.all	EDIT: everybody
        edit.by	EDIT: everybody, by {who}
        edit.first	Turn edit mode on first: {key}.
        edit.here	This screen is in edit mode: nothing can be swiped open. {key} ends it.
        edit.noControl.delete	Rows of kind {kind} have no control to delete.
        edit.noControl.insert	Rows of kind {kind} have no control to insert.
        edit.off	{who} turned edit mode off.
        edit.off.redo	{who} turned edit mode off by a redo.
        edit.off.undo	{who} turned edit mode off by an undo.
        edit.on	{who} turned edit mode on, for everybody: nothing can be swiped. {key} ends it.
        edit.on.redo	{who} turned edit mode on by a redo, for everybody: nothing can be swiped. {key} ends it.
        edit.on.undo	{who} turned edit mode on by an undo, for everybody: nothing can be swiped. {key} ends it.
        edit.over	Edit mode has ended for everybody, since nobody held it any more.
        edit.table	The table is in edit mode: nothing can be swiped open. {key} ends it.
        empty	empty
        empty.section	{section} is empty.
        empty.table	{name} has no rows.
        empty.was	{name} had no rows when it was last heard of.
        failed	{action} failed: {why}
        fault.comma	expected a comma or the end, found {found}
        fault.comparison	expected a comparison such as `==`, found {found}
        fault.end	the end
        fault.escape	expected one of {signs} after \
        fault.id	expected an id in quotes, found {found}
        fault.joined	expected `and`, `or` or the end, found {found}
        fault.name	expected a name, found {found}
        fault.names	expected one of: {names}
        fault.noneOf	`{what}` is none of: {names}
        fault.notAlone	`{what}` is not of the row alone: title, kind, state, items and field.NAME are
        fault.notOfRow	`{what}` is not of the row: {names} and now are
        fault.number	`{text}` is no number
        fault.ofRow	`{what}` is of a row: write {code}, or use it after `where`
        fault.open	this text has no end
        fault.strange	nothing that begins with `{sign}` stands here
        fault.tooDeep	more than {most} levels
        fault.tooLong	more than {most} words and signs
        fault.unknown	`{what}` is not known here
        fault.value	expected a value, found {found}
        fault.wanted	expected {wanted}, found {found}
        fault.written	`{sign}` is written `{right}`
        filter.clear	{key} shows all rows.
        filter.found	{count} of {all} rows have "{text}". {key} shows all.
        filter.none	No row has "{text}".
        find.count	{found} of {all}
        form.cleared	meanwhile: taken away
        form.edit	Edit {row}
        form.edit.gone	Edit {row}: it was removed
        form.field	+ field
        form.field.how	Write KEY=VALUE for another field.
        form.gone	Somebody removed the row: {key} may bring it back.
        form.kept	Kept, and not sent. {key} shows it again.
        form.kind	kind
        form.meanwhile	meanwhile: {text}
        form.new	New row
        form.noKind	There is no kind {kind}: there are {all}.
        form.noSection	There is no section {section}: there are {all}.
        form.others	Others have changed the same meanwhile: both are shown. {key} again sends yours.
        form.section	section
        form.sending	being sent …
        form.sending.wait	It is being sent. {key} closes it meanwhile.
        form.thrown	Thrown away: nothing was changed.
        form.title	title
        form.unsent	Typed and not sent: {names}. {key} again throws it away.
        form.unsent.new	a new row
        fresh.absent	no such table
        fresh.catchingUp	catching up
        fresh.connecting	connecting
        fresh.disconnected	disconnected
        fresh.live	live
        fresh.stale	stale {count} s
        fresh.waiting	waiting
        hand.gone	Somebody removed what was lifted.
        hand.held	{who} has {row} in hand.
        hand.nowhere	Put back: nowhere to drop it.
        hand.other	Put it down first: {drop} drops, {back} puts back.
        hand.pinned	Rows of kind {kind} are not moved.
        hand.sorted	This screen is sorted by {keys}: no row is moved on it.
        hand.stays	It stays where it was.
        hand.why	Put back: {why}.
        help	Help
        help.click	select a row; once more, or on its arrow: open or close it
        help.digit	perform the action with this digit, of a row that is swiped open or a menu
        help.lift	lift a row, and move it; Esc puts it back
        help.nothing	Nothing matches.
        help.search	Help: type to search
        help.swipe	swipe a row, step by step; past the mark: its first action, at once
        help.wheel	scroll
        hint.actions	actions
        hint.add	add
        hint.addRow	add a row
        hint.bringBack	bring it back
        hint.choose	choose
        hint.close	close
        hint.delete	delete
        hint.done	done
        hint.drag	drag
        hint.drop	drop here
        hint.edit	edit
        hint.filter	filter
        hint.help	help
        hint.insert	insert below
        hint.itemMenu	its actions
        hint.items	items
        hint.keep	keep for later
        hint.line	line
        hint.move	move
        hint.notShown	not shown:
        hint.open	open
        hint.perform	perform
        hint.putBack	put back
        hint.quit	quit
        hint.recall	recall
        hint.release	release
        hint.releaseTo	to open, or past the mark to perform
        hint.scroll	scroll
        hint.search	search
        hint.select	select it
        hint.send	send
        hint.throwAway	throw away
        hint.undo	undo
        history.lost	The daemon has lost revisions that were shown here.
        history.other	The daemon has another history.
        history.takenBack	taken back
        key.add	add a row to this section
        key.cancel	cancel: put down, close, clear the filter
        key.claim	say that you work on the row, or no longer do
        key.collapse-all	close all rows
        key.command	a command line: add, set, sort, goto, section, expand, mouse, quit …
        key.delete	in edit mode, delete the row that has a −
        key.density	one line for a row, or as many as it is high
        key.down	the next row; lifted: a place down
        key.edit	edit mode of this screen on or off: nothing can be swiped in it
        key.enter	perform the marked action, drop, tap an item, or open
        key.expand	open the row, one state further, or close it
        key.expand-all	open all rows
        key.filter	show only rows with these words, or with field=word
        key.first	the first row
        key.help	this list; type to search it
        key.insert	in edit mode, insert a row below the one that has a +
        key.last	the last row
        key.left	reveal the actions at the right, or the next of them; a strip's item before
        key.lift	lift the row, to move it
        key.mark	mark the row, or no longer: what is done with a marked row is done with all
        key.menu	the actions of the marked item of a strip
        key.mouse	mouse on or off; off, the terminal selects text again
        key.next-late	the next row that is late, or else wants attention
        key.next-section	the next section
        key.page-down	a screen down; with an item marked, a page of its strip
        key.page-up	a screen up; with an item marked, a page of its strip
        key.previous-section	this section's beginning, or the section before
        key.quit	quit
        key.recall	what was removed or acted upon lately, to bring it back
        key.redo	do again what was taken back
        key.redraw	draw the screen anew
        key.right	reveal the actions at the left, or the next of them; a strip's next item
        key.select	tap the row, or the item of a strip: what its kind says happens
        key.set	edit the row: its title, fields and kind
        key.snooze	put the row off for 10 minutes, or wake it
        key.suspend	suspend the viewer; `fg` resumes it
        key.totals	how many there are of each title among the shown rows
        key.undo	take back your latest change
        key.up	the row before; lifted: a place up
        keys.actions	{count, plural, one {There is one action here.} other {There are # actions here.}}
        keys.noneLate	No row is late.
        kiosk	This is a station's screen. Ctrl-C ends it.
        lag	lag {count} ms
        landed.after.moved	It stands after {row}: {gone} was moved.
        landed.after.pinned	It stands after {row}: no row passes pinned ones.
        landed.after.removed	It stands after {row}: {gone} was removed.
        landed.attempt.later	Attempt {attempt} of {most} failed. The next one is due in {seconds} s.
        landed.attempt.now	Attempt {attempt} of {most} failed. The next one is due now.
        landed.effectsLeftOut	The later effects were left out: {why}
        landed.elsewhere	It is not quite at its old place: the rows around it have changed.
        landed.sectionStays	Section {section} stays: it has rows.
        landed.top.moved	It stands at the top of {section}: {gone} was moved.
        landed.top.pinned	It stands at the top of {section}: no row passes pinned ones.
        landed.top.removed	It stands at the top of {section}: {gone} was removed.
        lifted	lifted
        marked	{count} marked
        marked.rows	{rows} marked. {key} takes the marks away.
        menu.empty	It has no actions any more.
        menu.none	This item has no menu.
        menu.rows	Rows have their actions behind them: {left} {right}.
        moment	One moment …
        more	{count} more
        mouse.off	The mouse is off: the terminal selects text. {key} turns it on.
        mouse.on	The mouse is on.
        newRow	new row in {section}:
        no	no
        noActions.left	There are no actions at the left.
        noActions.right	There are no actions at the right.
        noAnswer	{what}: no answer yet
        noItems	no items
        noRow	There is no row {row}.
        noRow.here	Row {row} is not shown on this station's screen.
        noRow.selected	No row is selected.
        noRow.station	No row is for this screen.
        noSection	There is no section {section}.
        notConnected	Not connected.
        notConnected.rows	Whether {name} has rows is not known.
        notConnected.yet	Not connected yet: nothing was changed.
        notDone	Not done.
        oneHeight	Rows of kind {kind} have one height only.
        outOfSight	This is the selected row: it was out of sight.
        paused	PAUSED {what}, {why}
        putDown.board	the board is gone
        putDown.columns	the board has other columns now
        putDown.connection	the connection was lost
        putDown.late	you held it for too long
        putDown.moved	it was moved
        putDown.movedBy	{who} moved it
        putDown.removed	somebody took it away
        putDown.removedBy	{who} took it away
        putDown.why	It was put down: {why}.
        reason.failed	it did not work
        reason.late	no answer within {span}
        reason.lost	{who} was lost
        reason.unfinished	it was under way when the board was exported
        reason.unknown	nobody knows how it ended
        recall	Recall
        recall.nothing	Nothing was removed or done lately.
        redone	Done again
        refusal.alreadyDone	That is done already, or under way.
        refusal.alreadyUndone	That was taken back already.
        refusal.badAnchor	It cannot go there.
        refusal.badCode	That code does not work. Ask for a new one.
        refusal.cannotMove	It cannot be moved.
        refusal.cannotRemove	It cannot be removed.
        refusal.claimed	Somebody else is working on it.
        refusal.claimed.by	{who} is working on it.
        refusal.conflict	It has changed since. Take that back first.
        refusal.diskFull	The server has no room left. Nothing can be changed until it has.
        refusal.editing	Edit mode is on for everybody: no row can be swiped, and no action performed.
        refusal.guarded	That can not be done to it now.
        refusal.leased	Somebody is moving it.
        refusal.leased.by	{who} is moving it.
        refusal.needsConfirmation	You are asked first now. Please press it again.
        refusal.noDaemon	The server behind this page does not answer.
        refusal.noFullSwipe	That can no longer be done by swiping on.
        refusal.noSection	There is no section “{section}” yet, and this screen may not make one.
        refusal.noSuchAction	That can no longer be done to it.
        refusal.noSuchItem	It is gone: somebody took it away.
        refusal.noSuchKind	This board no longer has rows of that kind.
        refusal.noSuchLease	It was put down before you let go.
        refusal.noSuchRow	It is gone: somebody took it away.
        refusal.noSuchSection	That section is gone.
        refusal.noSuchState	It cannot be shown like that any more.
        refusal.noSuchTable	This board is gone.
        refusal.notClaimed	You are not working on it.
        refusal.notConnected	Not connected: nothing was changed.
        refusal.notLeader	Another server takes over. Please try again in a moment.
        refusal.notPaired	This screen is not let in any more.
        refusal.notUndoable	That cannot be taken back.
        refusal.nothingToRedo	There is nothing to redo.
        refusal.nothingToUndo	There is nothing to take back.
        refusal.onlyOneOpen	Only one row can be open on this board.
        refusal.paused	It is paused: nothing new is begun.
        refusal.pinned	It has a fixed place. Nothing goes past it.
        refusal.revoked	This screen was taken off the list. Pair it again.
        refusal.role	This screen may not do that.
        refusal.sent	{what} was sent off and cannot be taken back.
        refusal.stale	Somebody changed it just now. Please look, and try again.
        refusal.timeout	No answer came. Please try again.
        refusal.tooLarge	That is too long.
        refusal.tooMuch	That was too much at once. Please wait a minute.
        refusal.unknown	Nobody can tell whether this was done. Please look.
        refusal.wrongEdge	That can no longer be done to it.
        release	release: {action}
        removed	removed
        reveal.first	Reveal the actions first: {left} or {right}.
        revision	rev {revision}
        rowGone	Somebody removed the row.
        rows	{count, plural, one {# row} other {# rows}}
        set.how	Write :set KEY=VALUE. The title and the kind are keys too.
        somebody	Somebody
        span.hours	{count} h
        span.minutes	{count} min
        span.minutesShort	{count} m
        span.seconds	{count} s
        story	What happened to {row}
        story.across.after	Moved {row} from {from} to {to}, after “{other}”
        story.across.top	Moved {row} from {from} to {to}, at the top
        story.act	{action}: {row}
        story.actions	Gave {row} other actions
        story.add.after	Added {row} after “{other}”
        story.add.top	Added {row} at the top of {section}
        story.again	Is tried again
        story.back.after	Brought back {row} after “{other}”
        story.back.top	Brought back {row} at the top of {section}
        story.callOff	Called off {action}: {row}
        story.claim	Works on {row}
        story.claimNote	Works on {row}: {note}
        story.clear	Cleared {field} of {row}
        story.close	Closed {row}
        story.closeAll	Closed all rows
        story.edit	Began to edit the board
        story.editEnd	Ended editing the board
        story.fail	It failed: {why}
        story.field	Set {field} to “{value}”
        story.field.was	Set {field} to “{value}”, which was “{was}”
        story.finish	It was done
        story.forgotten	It is no longer known
        story.itemIn	Put “{item}” into {row}
        story.itemMove	Moved something within {row}
        story.itemOut	Took “{item}” out of {row}
        story.itemSet	Changed “{item}” of {row}
        story.keep	Kept the title of {row}
        story.kind	Made {row} a {kind}
        story.kinds	Changed the kinds of rows
        story.mark	Marked {row}
        story.more	{count, plural, one {# more thing} other {# more things}}
        story.move.after	Moved {row} after “{other}”
        story.move.top	Moved {row} to the top of {section}
        story.none	Nothing is known of it.
        story.open	Opened {row}
        story.openAll	Opened all rows
        story.other	A change
        story.pause	Paused {what}
        story.redo	Did again: {what}
        story.release	The work waits again
        story.remove	Removed {row}
        story.rename	Renamed “{was}” to {row}
        story.renameAll	Renamed {row} to “{value}”
        story.rest	Failed, is tried again: {why}
        story.restored	Put back what was done to {row}
        story.resume	Went on with {what}
        story.row	“{row}”
        story.rows	“{row}” and {more} more
        story.scroll	Scrolled {row}
        story.section	Made the section {section}
        story.sectionEnd	Removed the section {section}
        story.sectionName	Named the section {section} “{value}”
        story.select	Chose {row}
        story.set	Set {field} of {row} to “{value}”
        story.set.was	Set {field} of {row} to “{value}”, which was “{was}”
        story.settings	Changed the settings
        story.sleep	Put off {row}
        story.states	Gave {row} other looks
        story.swap	Exchanged {row} and “{other}”
        story.swipe	Opened the actions of {row}
        story.swipeEnd	Closed the actions of {row}
        story.take	{who} took the work
        story.unclaim	No longer works on {row}
        story.undo	Took back: {what}
        story.unmark	Unmarked {row}
        story.wake	Woke {row}
        strip.first	Mark an item of the strip first: ← →.
        tooSmall	too small
        totals.nothing	There is nothing to count.
        totals.of	Totals of {field}
        totals.titles	Totals of titles
        tried.at	failed {count, plural, =1 {once} =2 {twice} one {# time} other {# times}} ({why}), again at {time} ({attempt} of {most})
        tried.now	failed {count, plural, =1 {once} =2 {twice} one {# time} other {# times}} ({why}), again now ({attempt} of {most})
        undone	Undone
        unknown.table	Nothing is known of it yet.
        until	until {time}
        viewers	{count, plural, one {# viewer} other {# viewers}}: {names}
        waiting.daemon	Waiting for the daemon …
        waiting.daemon.more	{name} appears here when it answers.
        waiting.table	Waiting for {name} …
        what.adding	adding a row
        what.changing	changing {row}
        what.claiming	claiming
        what.closing	closing {row}
        what.closingAll	closing all rows
        what.editMode	edit mode
        what.lifting	lifting {row}
        what.moving	moving {rows}
        what.opening	opening {row}
        what.openingAll	opening all rows
        what.pause	pausing
        what.puttingOff	putting off
        what.recalling	recalling {row}
        what.redo	redo
        what.resume	going on
        what.scrolling	scrolling {row}
        what.selecting	selecting {row}
        what.several	{what}, {rows}
        what.undo	undo
        yes	yes
        """#)
}

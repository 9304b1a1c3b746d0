// Made by Tests/WebTests/languages.test.mjs from web/languages/ja.json.
// swift-format-ignore-file

extension Catalogue {
    static let ja = Wording.Language(
        code: "ja",
        plurals: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        messages: #"""
        absent	ボード {name} はありません。
        absent.more	作成されるとここに表示されます。
        acts.lack	マークした {count} 件のうち {rows} には操作「{action}」がありません。
        add.none	{key} で追加します。
        added	{row} を追加しました。
        age.days	{days}日
        age.hours	{hours}時間{minutes}
        ago	{age} 前
        anew	ここの内容に誤りがあったため、取り直しました。
        arrives	行が来るとここに表示されます。
        back	{row} が戻りました。
        back.already	{row} はもう戻っています。
        back.place	{why} 元の位置に戻りました。
        clock.fast	時計が {span} 進み
        clock.slow	時計が {span} 遅れ
        command.add	add タイトル：選んだ行の下に追加
        command.dense	dense：1 行で表示、または高さどおり
        command.edit	edit on | off
        command.expand	expand all | none
        command.filter	filter 語句
        command.goto	goto 行：その行を選ぶ
        command.mark	mark all | none
        command.mouse	mouse on | off
        command.none	コマンド「{name}」はありません。あるのは {all} です。
        command.pause	:pause all または区分の ID と理由。例: :pause grill ガス切れ
        command.section	section 名前：そこへ移動
        command.set	set 項目=値：行の値
        command.snooze	:snooze 時間または時刻。例: :snooze 45m、2h、14:30
        command.sort	sort 項目：例 -age,title。なしで元どおり
        command.table	table 名前：別のボードを表示
        command.totals	totals 項目：値ごとの数。項目なしはタイトルごと
        daemon.none	サーバーがまだ応答していません。何も変更されていません。
        deed	{what}の{action}
        deed.by	{what} の{action}（{who}）
        delete	削除
        deleted	{row} を削除しました。
        did	{done}: {row}
        did.moved	移動しました
        drag.back	元の場所に戻しました。
        dropped	ボードは削除されました。
        edit	編集
        edit.all	編集：全員
        edit.by	編集：全員（{who}）
        edit.first	先に編集モードにしてください：{key}
        edit.here	この画面は編集モードです。スワイプできません。{key} で終わります。
        edit.noControl.delete	種類 {kind} の行は削除できません。
        edit.noControl.insert	種類 {kind} の行の下には挿入できません。
        edit.off	{who} が編集モードを終えました。
        edit.off.redo	{who} がやり直しで編集モードを終えました。
        edit.off.undo	{who} が取り消しで編集モードを終えました。
        edit.on	{who} が全員を編集モードにしました。スワイプできません。{key} で終わります。
        edit.on.redo	{who} がやり直しで全員を編集モードにしました。スワイプできません。{key} で終わります。
        edit.on.undo	{who} が取り消しで全員を編集モードにしました。スワイプできません。{key} で終わります。
        edit.over	全員の編集モードは、保持する人がいなくなったため終わりました。
        edit.table	ボードは編集モードです。スワイプできません。{key} で終わります。
        empty	空
        empty.section	{section} は空です。
        empty.table	{name} に行はありません。
        empty.was	{name} は最後に届いた時点で行がありませんでした。
        failed	{action}に失敗：{why}
        fault.comma	ここはコンマか終わりです。{found}ではありません
        fault.comparison	`==` のような比較が必要ですが、{found} があります
        fault.end	終わり
        fault.escape	\ の後には {signs} のどれかが必要です
        fault.id	引用符で囲んだ ID が必要ですが、{found} があります
        fault.joined	`and`、`or` か終わりが必要ですが、{found} があります
        fault.name	名前が必要ですが、{found} があります
        fault.names	使えるもの: {names}
        fault.noneOf	`{what}` は次のどれでもありません: {names}
        fault.notAlone	`{what}`は行だけのものではありません。使えるもの: title, kind, state, items, field.NAME
        fault.notOfRow	`{what}`は行のものではありません。使えるもの: {names}, now
        fault.number	`{text}` は数ではありません
        fault.ofRow	`{what}` は行のものです: {code} と書くか `where` の後で使ってください
        fault.open	文字列が閉じていません
        fault.strange	ここに `{sign}` で始まるものは置けません
        fault.tooDeep	入れ子が{most}段を超えています
        fault.tooLong	語と記号が{most}を超えています
        fault.unknown	`{what}` はここでは使えません
        fault.value	値が必要ですが、{found} があります
        fault.wanted	{wanted} が必要ですが、{found} があります
        fault.written	`{sign}` は `{right}` と書きます
        filter.clear	{key} ですべての行を表示します。
        filter.found	{all} 行のうち {count} 行に「{text}」があります。{key} ですべて表示します。
        filter.none	「{text}」のある行はありません。
        find.count	{all}件中{found}件
        form.cleared	その間に：消されました
        form.edit	{row} を編集
        form.edit.gone	{row} を編集：削除されました
        form.field	＋項目
        form.field.how	項目の追加は 項目=値 と書いてください。
        form.gone	誰かがこの行を削除しました。{key} で戻せるかもしれません。
        form.kept	送らずに取ってあります。{key} でまた表示します。
        form.kind	種類
        form.meanwhile	その間に：{text}
        form.new	新しい行
        form.noKind	種類 {kind} はありません。あるのは {all} です。
        form.noSection	セクション {section} はありません。あるのは {all} です。
        form.others	その間に他の人が同じ所を変えました。両方を表示しています。もう一度 {key} であなたの分を送ります。
        form.section	セクション
        form.sending	送信中…
        form.sending.wait	送信中です。{key} で閉じられます。
        form.thrown	破棄しました。何も変更されていません。
        form.title	タイトル
        form.unsent	入力したまま未送信：{names}。もう一度 {key} で破棄します。
        form.unsent.new	新しい行
        fresh.absent	ボードなし
        fresh.catchingUp	追いつき中
        fresh.connecting	接続中
        fresh.disconnected	切断
        fresh.live	ライブ
        fresh.stale	更新なし {count} 秒
        fresh.waiting	待機中
        hand.gone	持ち上げていたものを誰かが削除しました。
        hand.held	{who} が {row} を動かしています。
        hand.nowhere	元に戻しました。置ける場所がありません。
        hand.other	先に置いてください：{drop} で置き、{back} で戻します。
        hand.pinned	種類 {kind} の行は動かせません。
        hand.sorted	この画面は {keys} の順です。行は動かせません。
        hand.stays	元の位置のままです。
        hand.why	元に戻しました：{why}。
        help	ヘルプ
        help.click	行を選ぶ。もう一度か矢印で開閉
        help.digit	開いた行やメニューの、その番号の操作をする
        help.lift	行を持ち上げて動かす。Esc で戻す
        help.nothing	該当なし。
        help.search	ヘルプ：入力して検索
        help.swipe	行をスワイプ。印を越えると最初の操作をすぐ行う
        help.wheel	スクロール
        hint.actions	操作
        hint.add	追加
        hint.addRow	行を追加
        hint.bringBack	戻す
        hint.choose	選ぶ
        hint.close	閉じる
        hint.delete	削除
        hint.done	完了
        hint.drag	ドラッグ
        hint.drop	ここに置く
        hint.edit	編集
        hint.filter	絞り込み
        hint.help	ヘルプ
        hint.insert	下に挿入
        hint.itemMenu	その操作
        hint.items	項目
        hint.keep	取っておく
        hint.line	行
        hint.move	移動
        hint.notShown	非表示：
        hint.open	開く
        hint.perform	実行
        hint.putBack	戻す
        hint.quit	終了
        hint.recall	呼び戻し
        hint.release	離す
        hint.releaseTo	で開く。印を越えると実行
        hint.scroll	スクロール
        hint.search	検索
        hint.select	選択
        hint.send	送信
        hint.throwAway	破棄
        hint.undo	取り消し
        history.lost	ここに表示された変更の一部がサーバーで失われました。
        history.other	サーバーの履歴が別のものになりました。
        history.takenBack	取り消し済み
        key.add	このセクションに行を追加
        key.cancel	中止：置く、閉じる、絞り込み解除
        key.claim	この行の担当になる、またはやめる
        key.collapse-all	すべての行を閉じる
        key.command	コマンド行：add, set, sort, goto, section, expand, mouse, quit …
        key.delete	編集モードで、− のある行を削除
        key.density	1 行で表示、または高さどおり
        key.down	次の行。移動中は一つ下
        key.edit	この画面の編集モード。スワイプできなくなる
        key.enter	選んだ操作を行う、置く、項目をタップ、または開く
        key.expand	行を一段開く、または閉じる
        key.expand-all	すべての行を開く
        key.filter	これらの語、または 項目=語 のある行だけを表示
        key.first	最初の行
        key.help	この一覧。入力して検索
        key.insert	編集モードで、＋ のある行の下に挿入
        key.last	最後の行
        key.left	右の操作を出す、または次の操作。帯では前の項目
        key.lift	行を持ち上げて動かす
        key.mark	行をマーク、または解除。マークした行には一括で行う
        key.menu	選んだ項目の操作
        key.mouse	マウスのオン・オフ。オフなら端末が文字を選択
        key.next-late	次の遅れた行、または注意の要る行
        key.next-section	次のセクション
        key.page-down	1 画面下。項目選択中は帯の次ページ
        key.page-up	1 画面上。項目選択中は帯の前ページ
        key.previous-section	このセクションの先頭、または前のセクション
        key.quit	終了
        key.recall	最近削除・処理した行。戻せる
        key.redo	取り消したことをやり直す
        key.redraw	画面を描き直す
        key.right	左の操作を出す、または次の操作。帯では次の項目
        key.select	行や項目をタップする。種類の決めたとおりになる
        key.set	行の編集：タイトル、項目、種類
        key.snooze	行を 10 分先送りする、または起こす
        key.suspend	一時停止。`fg` で再開
        key.totals	表示中の行のタイトルごとの数
        key.undo	自分の最後の変更を取り消す
        key.up	前の行。移動中は一つ上
        keys.actions	{count, plural, other {ここの操作は#個です。}}
        keys.noneLate	遅れている行はありません。
        kiosk	これは持ち場の画面です。Ctrl-C で終わります。
        lag	遅延 {count} ms
        landed.after.moved	{row}の後にあります。{gone}は移動されました。
        landed.after.pinned	{row}の後にあります。固定された行は追い越せません。
        landed.after.removed	{row}の後にあります。{gone}は取り除かれました。
        landed.attempt.later	{most}回中{attempt}回目が失敗しました。次は{seconds}秒後です。
        landed.attempt.now	{most}回中{attempt}回目が失敗しました。次はいま行われます。
        landed.effectsLeftOut	後の処理は省かれました: {why}
        landed.elsewhere	周りの行が変わったため、元の場所とは少し違います。
        landed.sectionStays	セクション{section}は行があるため残ります。
        landed.top.moved	{section}の先頭にあります。{gone}は移動されました。
        landed.top.pinned	{section}の先頭にあります。固定された行は追い越せません。
        landed.top.removed	{section}の先頭にあります。{gone}は取り除かれました。
        lifted	移動中
        marked	{count} 件マーク
        marked.rows	{rows}をマークしました。{key} で外します。
        menu.empty	もう操作はありません。
        menu.none	この項目にメニューはありません。
        menu.rows	行の操作は裏にあります：{left} {right}
        moment	お待ちください …
        more	ほか {count}
        mouse.off	マウスはオフです。端末が文字を選択します。{key} でオンにします。
        mouse.on	マウスはオンです。
        newRow	{section} の新しい行：
        no	いいえ
        noActions.left	左に操作はありません。
        noActions.right	右に操作はありません。
        noAnswer	{what}：まだ応答なし
        noItems	項目なし
        noRow	行 {row} はありません。
        noRow.here	行 {row} はこの画面に出ません。
        noRow.selected	行が選ばれていません。
        noRow.station	この画面に出る行はありません。
        noSection	セクション {section} はありません。
        notConnected	接続していません。
        notConnected.rows	{name} に行があるかは不明です。
        notConnected.yet	まだ接続していません。何も変更されていません。
        notDone	行いませんでした。
        oneHeight	種類 {kind} の行の高さは一つだけです。
        outOfSight	選んでいる行です。画面の外にありました。
        paused	休止 {what}、{why}
        putDown.board	ボードがなくなりました
        putDown.columns	ボードの列が変わりました
        putDown.connection	接続が切れました
        putDown.late	長く持ちすぎました
        putDown.moved	移動されました
        putDown.movedBy	{who}が移動しました
        putDown.removed	だれかが取り除きました
        putDown.removedBy	{who}が取り除きました
        putDown.why	置かれました: {why}。
        reason.failed	うまくいきませんでした
        reason.late	{span}以内に応答がありません
        reason.lost	{who}との接続が失われました
        reason.unfinished	書き出したときに処理中でした
        reason.unknown	結果は不明です
        recall	呼び戻し
        recall.nothing	最近取り除いたものや済ませたものはありません。
        redone	やり直し
        refusal.alreadyDone	すでに済んだか、実行中です。
        refusal.alreadyUndone	すでに取り消されています。
        refusal.badAnchor	そこへは移動できません。
        refusal.badCode	そのコードは使えません。新しいコードをもらってください。
        refusal.cannotMove	移動できません。
        refusal.cannotRemove	取り除けません。
        refusal.claimed	ほかの人が担当中です。
        refusal.claimed.by	{who}が担当中です。
        refusal.conflict	その後に変更されています。先にそれを取り消してください。
        refusal.diskFull	サーバーの空き容量がありません。空くまで変更できません。
        refusal.editing	全員の編集モード中です。行のスワイプも操作もできません。
        refusal.guarded	いまはこの操作ができません。
        refusal.leased	だれかが移動中です。
        refusal.leased.by	{who}が移動中です。
        refusal.needsConfirmation	確認が必要になりました。もう一度押してください。
        refusal.noDaemon	このページの背後のサーバーが応答しません。
        refusal.noFullSwipe	最後までのスワイプではもうできません。
        refusal.noSection	セクション「{section}」はまだなく、この画面からは作れません。
        refusal.noSuchAction	その操作はもうできません。
        refusal.noSuchItem	もうありません。だれかが取り除きました。
        refusal.noSuchKind	このボードにその種類の行はもうありません。
        refusal.noSuchLease	離す前に置かれました。
        refusal.noSuchRow	もうありません。だれかが取り除きました。
        refusal.noSuchSection	そのセクションはなくなりました。
        refusal.noSuchState	その表示はもうできません。
        refusal.noSuchTable	このボードはなくなりました。
        refusal.notClaimed	あなたは担当していません。
        refusal.notConnected	接続していません。何も変更されていません。
        refusal.notLeader	別のサーバーに切り替わります。少し待って試してください。
        refusal.notPaired	この画面の登録はなくなりました。
        refusal.notUndoable	取り消せません。
        refusal.nothingToRedo	やり直すものがありません。
        refusal.nothingToUndo	元に戻すものがありません。
        refusal.onlyOneOpen	このボードでは一度に一行しか開けません。
        refusal.paused	一時停止中のため、新しい作業は始められません。
        refusal.pinned	固定された行です。越えて移動できません。
        refusal.revoked	この画面は登録から外されました。もう一度登録してください。
        refusal.role	この画面にはその権限がありません。
        refusal.sent	{what}は送信済みで、取り消せません。
        refusal.stale	だれかが今変更しました。確認してもう一度試してください。
        refusal.timeout	応答がありません。もう一度試してください。
        refusal.tooLarge	長すぎます。
        refusal.tooMuch	一度に多すぎます。一分ほどお待ちください。
        refusal.unknown	行われたかどうか分かりません。確認してください。
        refusal.wrongEdge	その操作はもうできません。
        release	離すと：{action}
        removed	削除
        reveal.first	先に操作を出してください：{left} か {right}
        revision	版 {revision}
        rowGone	誰かがこの行を削除しました。
        rows	{count, plural, other {#行}}
        set.how	:set 項目=値 と書いてください。title と kind も項目です。
        somebody	誰か
        span.hours	{count} 時間
        span.minutes	{count} 分
        span.minutesShort	{count} 分
        span.seconds	{count} 秒
        story	{row}の履歴
        story.across.after	{row}を{from}から{to}の「{other}」の後へ移動
        story.across.top	{row}を{from}から{to}の先頭へ移動
        story.act	{action}: {row}
        story.actions	{row}の操作を変えた
        story.add.after	{row}を「{other}」の後に追加
        story.add.top	{row}を{section}の先頭に追加
        story.again	再試行
        story.back.after	{row}を「{other}」の後に呼び戻した
        story.back.top	{row}を{section}の先頭に呼び戻した
        story.callOff	{action}を中止: {row}
        story.claim	{row}を担当
        story.claimNote	{row}を担当: {note}
        story.clear	{row}の{field}を消した
        story.close	{row}を閉じた
        story.closeAll	すべての行を閉じた
        story.edit	ボードの編集を始めた
        story.editEnd	ボードの編集を終えた
        story.fail	失敗: {why}
        story.field	{field}を「{value}」にした
        story.field.was	{field}を「{was}」から「{value}」にした
        story.finish	完了した
        story.forgotten	もう分からない
        story.itemIn	「{item}」を{row}に入れた
        story.itemMove	{row}の中で移動
        story.itemOut	「{item}」を{row}から出した
        story.itemSet	{row}の「{item}」を変えた
        story.keep	{row}の題をそのままにした
        story.kind	{row}を{kind}にした
        story.kinds	行の種類を変えた
        story.mark	{row}に印を付けた
        story.more	{count, plural, other {ほか#件}}
        story.move.after	{row}を「{other}」の後へ移動
        story.move.top	{row}を{section}の先頭へ移動
        story.none	履歴はありません。
        story.open	{row}を開いた
        story.openAll	すべての行を開いた
        story.other	変更
        story.pause	{what}を休止
        story.redo	やり直し: {what}
        story.release	作業は再び待機中
        story.remove	{row}を取り除いた
        story.rename	「{was}」の名前を{row}にした
        story.renameAll	{row}の名前を「{value}」にした
        story.rest	失敗、再試行します: {why}
        story.restored	{row}にした操作を戻した
        story.resume	{what}を再開
        story.row	「{row}」
        story.rows	「{row}」ほか{more}件
        story.scroll	{row}をスクロールした
        story.section	区分{section}を作った
        story.sectionEnd	区分{section}を取り除いた
        story.sectionName	区分{section}を「{value}」と名付けた
        story.select	{row}を選んだ
        story.set	{row}の{field}を「{value}」にした
        story.set.was	{row}の{field}を「{was}」から「{value}」にした
        story.settings	設定を変えた
        story.sleep	{row}を後回しにした
        story.states	{row}の表示を変えた
        story.swap	{row}と「{other}」を入れ替えた
        story.swipe	{row}の操作を開いた
        story.swipeEnd	{row}の操作を閉じた
        story.take	{who}が引き受けた
        story.unclaim	{row}の担当をやめた
        story.undo	取り消し: {what}
        story.unmark	{row}の印を外した
        story.wake	{row}を戻した
        strip.first	先に帯の項目を選んでください：← →
        tooSmall	小さすぎ
        totals.nothing	数えるものがありません。
        totals.of	{field} の合計
        totals.titles	タイトルの合計
        tried.at	{count} 回失敗（{why}）、{time} に再試行（{attempt}/{most}）
        tried.now	{count} 回失敗（{why}）、再試行中（{attempt}/{most}）
        undone	取り消し
        unknown.table	まだ何もわかりません。
        until	{time} まで
        viewers	閲覧 {count, plural, other {# 人}}：{names}
        waiting.daemon	サーバーを待っています…
        waiting.daemon.more	応答すると {name} が表示されます。
        waiting.table	{name} を待っています…
        what.adding	行の追加
        what.changing	{row} の変更
        what.claiming	担当
        what.closing	{row} を閉じる
        what.closingAll	すべての行を閉じる
        what.editMode	編集モード
        what.lifting	{row} の持ち上げ
        what.moving	{rows} の移動
        what.opening	{row} を開く
        what.openingAll	すべての行を開く
        what.pause	休止
        what.puttingOff	先送り
        what.recalling	{row} の呼び戻し
        what.redo	やり直し
        what.resume	再開
        what.scrolling	{row} のスクロール
        what.selecting	{row} の選択
        what.several	{what}、{rows}
        what.undo	取り消し
        yes	はい
        """#)
}

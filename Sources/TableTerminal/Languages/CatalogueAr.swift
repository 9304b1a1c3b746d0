// Made by Tests/WebTests/languages.test.mjs from web/languages/ar.json.
// swift-format-ignore-file

extension Catalogue {
    static let ar = Wording.Language(
        code: "ar",
        plurals: "zotffffffffmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmxxxffffffffmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm",
        messages: #"""
        absent	لا توجد لوحة باسم {name}.
        absent.more	تظهر هنا حين تُنشأ.
        acts.lack	{rows} من أصل {count} معلَّمة ليس فيها الإجراء {action}.
        add.none	{key} يضيف صفًا.
        added	أُضيف {row}.
        age.days	{days} ي
        age.hours	{hours} س {minutes}
        ago	قبل {age}
        anew	ما كان هنا خاطئ، وقد جُلب من جديد.
        arrives	يظهر الصف هنا حين يصل.
        back	عاد {row}.
        back.already	{row} عاد من قبل.
        back.place	{why} عاد إلى مكانه.
        clock.fast	الساعة متقدمة {span}
        clock.slow	الساعة متأخرة {span}
        command.add	add العنوان: صف تحت المختار
        command.dense	dense: سطر واحد لكل صف، أو بقدر ارتفاعه
        command.edit	edit on | off
        command.expand	expand all | none
        command.filter	filter كلمات
        command.goto	goto الصف: يختاره
        command.mark	mark all | none
        command.mouse	mouse on | off
        command.none	لا يوجد أمر «{name}»؛ الموجود: {all}.
        command.pause	:pause all أو معرّف قسم، والسبب، مثل :pause grill لا غاز
        command.section	section الاسم: يذهب إليه
        command.set	set الحقل=القيمة: للصف
        command.snooze	:snooze لمدة أو حتى وقت، مثل :snooze 45m أو 2h أو 14:30
        command.sort	sort الحقول: مثل -age,title؛ بدونها كما كان
        command.table	table الاسم: يعرض لوحة أخرى
        command.totals	totals الحقل: عدد كل قيمة؛ وبدونه عدد كل عنوان
        daemon.none	لم يُجب أي خادم بعد: لم يتغير شيء.
        deed	{action}: {what}
        deed.by	{action}: {what}، من {who}
        delete	حذف
        deleted	حُذف {row}.
        did	{done}: {row}
        did.moved	نُقل
        drag.back	أُعيد إلى مكانه.
        dropped	أُزيلت اللوحة.
        edit	تحرير
        edit.all	تحرير: للجميع
        edit.by	تحرير: للجميع، {who}
        edit.first	شغّل وضع التحرير أولًا: {key}.
        edit.here	هذه الشاشة في وضع التحرير: لا يُسحب شيء. {key} ينهيه.
        edit.noControl.delete	صفوف النوع {kind} لا تُحذف.
        edit.noControl.insert	لا يُدرج شيء تحت صفوف النوع {kind}.
        edit.off	أوقف {who} وضع التحرير.
        edit.off.redo	أوقف {who} وضع التحرير بإعادة.
        edit.off.undo	أوقف {who} وضع التحرير بتراجع.
        edit.on	شغّل {who} وضع التحرير للجميع: لا يُسحب شيء. {key} ينهيه.
        edit.on.redo	شغّل {who} وضع التحرير للجميع بإعادة: لا يُسحب شيء. {key} ينهيه.
        edit.on.undo	شغّل {who} وضع التحرير للجميع بتراجع: لا يُسحب شيء. {key} ينهيه.
        edit.over	انتهى وضع التحرير للجميع لأنه لم يعد أحد يبقيه.
        edit.table	اللوحة في وضع التحرير: لا يُسحب شيء. {key} ينهيه.
        empty	فارغ
        empty.section	{section} فارغ.
        empty.table	{name} بلا صفوف.
        empty.was	كانت {name} بلا صفوف عند آخر خبر.
        failed	فشل {action}: {why}
        fault.comma	هنا فاصلة أو النهاية، لا {found}
        fault.comparison	المطلوب مقارنة مثل `==` وليس {found}
        fault.end	النهاية
        fault.escape	بعد \ يأتي أحد {signs}
        fault.id	المطلوب معرّف بين علامتي اقتباس وليس {found}
        fault.joined	المطلوب `and` أو `or` أو النهاية وليس {found}
        fault.name	المطلوب اسم وليس {found}
        fault.names	الممكن: {names}
        fault.noneOf	`{what}` ليس من: {names}
        fault.notAlone	`{what}` ليس من الصف وحده: title وkind وstate وitems وfield.NAME منه
        fault.notOfRow	`{what}` ليس من الصف: {names} وnow منه
        fault.number	`{text}` ليس رقمًا
        fault.ofRow	`{what}` يخص صفًا: اكتب {code} أو استخدمه بعد `where`
        fault.open	هذا النص بلا نهاية
        fault.strange	لا شيء هنا يبدأ بـ `{sign}`
        fault.tooDeep	أكثر من {most} مستوى
        fault.tooLong	أكثر من {most} كلمة وعلامة
        fault.unknown	`{what}` غير معروف هنا
        fault.value	المطلوب قيمة وليس {found}
        fault.wanted	المطلوب {wanted} وليس {found}
        fault.written	`{sign}` يُكتب `{right}`
        filter.clear	{key} يعرض كل الصفوف.
        filter.found	{count} من {all} من الصفوف فيها «{text}». {key} يعرض الكل.
        filter.none	لا صف فيه «{text}».
        find.count	{found} من {all}
        form.cleared	في هذه الأثناء: أُزيل
        form.edit	تحرير {row}
        form.edit.gone	تحرير {row}: لقد أُزيل
        form.field	+ حقل
        form.field.how	اكتب الحقل=القيمة لحقل آخر.
        form.gone	أزال أحدهم الصف: قد يعيده {key}.
        form.kept	محفوظ ولم يُرسل. {key} يعرضه ثانية.
        form.kind	النوع
        form.meanwhile	في هذه الأثناء: {text}
        form.new	صف جديد
        form.noKind	لا يوجد نوع {kind}؛ الموجود: {all}.
        form.noSection	لا يوجد قسم {section}؛ الموجود: {all}.
        form.others	غيّر آخرون الشيء نفسه: كلاهما ظاهر. {key} مرة أخرى يرسل ما كتبته.
        form.section	القسم
        form.sending	يُرسل …
        form.sending.wait	يجري الإرسال. {key} يغلقه في الأثناء.
        form.thrown	أُهمل: لم يتغير شيء.
        form.title	العنوان
        form.unsent	كُتب ولم يُرسل: {names}. {key} مرة أخرى يهمله.
        form.unsent.new	صف جديد
        fresh.absent	لا توجد
        fresh.catchingUp	يلحق
        fresh.connecting	يتصل
        fresh.disconnected	منقطع
        fresh.live	مباشر
        fresh.stale	قديم {count} ث
        fresh.waiting	ينتظر
        hand.gone	أزال أحدهم ما كان مرفوعًا.
        hand.held	{who} يمسك {row}.
        hand.nowhere	أُعيد: لا مكان لإفلاته.
        hand.other	ضعه أولًا: {drop} يضعه، {back} يعيده.
        hand.pinned	صفوف النوع {kind} لا تُنقل.
        hand.sorted	هذه الشاشة مرتبة حسب {keys}: لا يُنقل فيها صف.
        hand.stays	بقي حيث كان.
        hand.why	أُعيد: {why}.
        help	مساعدة
        help.click	اختيار صف؛ مرة أخرى أو على سهمه: فتحه أو إغلاقه
        help.digit	تنفيذ الإجراء بهذا الرقم، لصف مسحوب أو قائمة
        help.lift	رفع صف ونقله؛ Esc يعيده
        help.nothing	لا شيء مطابق.
        help.search	مساعدة: اكتب للبحث
        help.swipe	سحب صف خطوة خطوة؛ بعد العلامة: إجراؤه الأول فورًا
        help.wheel	تمرير
        hint.actions	الإجراءات
        hint.add	إضافة
        hint.addRow	إضافة صف
        hint.bringBack	إعادته
        hint.choose	اختيار
        hint.close	إغلاق
        hint.delete	حذف
        hint.done	تم
        hint.drag	اسحب
        hint.drop	إفلات هنا
        hint.edit	تحرير
        hint.filter	تصفية
        hint.help	مساعدة
        hint.insert	إدراج تحته
        hint.itemMenu	إجراءاته
        hint.items	العناصر
        hint.keep	حفظ لاحقًا
        hint.line	سطر
        hint.move	نقل
        hint.notShown	غير ظاهر:
        hint.open	فتح
        hint.perform	تنفيذ
        hint.putBack	إرجاع
        hint.quit	خروج
        hint.recall	استرجاع
        hint.release	أفلت
        hint.releaseTo	للفتح، أو بعد العلامة للتنفيذ
        hint.scroll	تمرير
        hint.search	بحث
        hint.select	اختياره
        hint.send	إرسال
        hint.throwAway	إهمال
        hint.undo	تراجع
        history.lost	فقد الخادم تغييرات كانت ظاهرة هنا.
        history.other	لدى الخادم سجل آخر.
        history.takenBack	تم التراجع عنه
        key.add	إضافة صف إلى هذا القسم
        key.cancel	إلغاء: وضع، إغلاق، إزالة التصفية
        key.claim	القول إنك تعمل على الصف، أو لم تعد
        key.collapse-all	إغلاق كل الصفوف
        key.command	سطر أوامر: add, set, sort, goto, section, expand, mouse, quit …
        key.delete	في وضع التحرير، حذف الصف الذي له −
        key.density	سطر واحد لكل صف، أو بقدر ارتفاعه
        key.down	الصف التالي؛ مرفوعًا: مكان أسفل
        key.edit	وضع تحرير هذه الشاشة: لا يُسحب فيه شيء
        key.enter	تنفيذ الإجراء المعلَّم، أو الإفلات، أو لمس عنصر، أو الفتح
        key.expand	فتح الصف درجة أخرى، أو إغلاقه
        key.expand-all	فتح كل الصفوف
        key.filter	عرض الصفوف التي فيها هذه الكلمات فقط، أو حقل=كلمة
        key.first	الصف الأول
        key.help	هذه القائمة؛ اكتب للبحث فيها
        key.insert	في وضع التحرير، إدراج صف تحت الذي له +
        key.last	الصف الأخير
        key.left	كشف الإجراءات على اليمين أو التالي منها؛ في شريط: العنصر السابق
        key.lift	رفع الصف لنقله
        key.mark	تعليم الصف أو إلغاؤه: ما يُفعل بصف معلَّم يُفعل بالكل
        key.menu	إجراءات العنصر المعلَّم
        key.mouse	الفأرة؛ بدونها تحدد الطرفية النص ثانية
        key.next-late	الصف المتأخر التالي، أو الذي يحتاج انتباهًا
        key.next-section	القسم التالي
        key.page-down	شاشة أسفل؛ ومع عنصر معلَّم صفحة من شريطه
        key.page-up	شاشة أعلى؛ ومع عنصر معلَّم صفحة من شريطه
        key.previous-section	بداية هذا القسم، أو القسم السابق
        key.quit	خروج
        key.recall	ما أُزيل أو عولج حديثًا، لإعادته
        key.redo	إعادة ما تُراجع عنه
        key.redraw	رسم الشاشة من جديد
        key.right	كشف الإجراءات على اليسار أو التالي منها؛ في شريط: العنصر التالي
        key.select	لمس الصف أو العنصر: يحدث ما يقوله نوعه
        key.set	تحرير الصف: العنوان والحقول والنوع
        key.snooze	تأجيل الصف 10 دقائق، أو إيقاظه
        key.suspend	تعليق العارض؛ `fg` يستأنفه
        key.totals	عدد كل عنوان بين الصفوف الظاهرة
        key.undo	التراجع عن آخر تغيير لك
        key.up	الصف السابق؛ مرفوعًا: مكان أعلى
        keys.actions	{count, plural, zero {لا إجراءات هنا.} one {هنا إجراء واحد.} two {هنا إجراءان.} few {هنا # إجراءات.} many {هنا # إجراءً.} other {هنا # إجراء.}}
        keys.noneLate	لا صف متأخر.
        kiosk	هذه شاشة محطة. Ctrl-C ينهيها.
        lag	تأخر {count} م.ث
        landed.after.moved	الصف الآن بعد {row}: نُقل {gone}.
        landed.after.pinned	الصف الآن بعد {row}: لا يتجاوز أي صف الصفوف المثبّتة.
        landed.after.removed	الصف الآن بعد {row}: أُزيل {gone}.
        landed.attempt.later	فشلت المحاولة {attempt} من {most}. التالية بعد {seconds} ث.
        landed.attempt.now	فشلت المحاولة {attempt} من {most}. التالية تحين الآن.
        landed.effectsLeftOut	تُركت التأثيرات اللاحقة: {why}
        landed.elsewhere	ليس في مكانه القديم تمامًا: تغيّرت الصفوف حوله.
        landed.sectionStays	يبقى القسم {section}: فيه صفوف.
        landed.top.moved	الصف الآن في أعلى {section}: نُقل {gone}.
        landed.top.pinned	الصف الآن في أعلى {section}: لا يتجاوز أي صف الصفوف المثبّتة.
        landed.top.removed	الصف الآن في أعلى {section}: أُزيل {gone}.
        lifted	مرفوع
        marked	{count} معلَّمة
        marked.rows	عُلّم {rows}. {key} يزيل العلامات.
        menu.empty	لم تعد له إجراءات.
        menu.none	لا قائمة لهذا العنصر.
        menu.rows	إجراءات الصفوف خلفها: {left} {right}.
        moment	لحظة …
        more	{count} أخرى
        mouse.off	الفأرة متوقفة: الطرفية تحدد النص. {key} يشغلها.
        mouse.on	الفأرة تعمل.
        newRow	صف جديد في {section}:
        no	لا
        noActions.left	لا إجراءات على اليسار.
        noActions.right	لا إجراءات على اليمين.
        noAnswer	{what}: لا جواب بعد
        noItems	بلا عناصر
        noRow	لا يوجد صف {row}.
        noRow.here	الصف {row} لا يظهر على هذه الشاشة.
        noRow.selected	لا صف مختار.
        noRow.station	لا صف لهذه الشاشة.
        noSection	لا يوجد قسم {section}.
        notConnected	غير متصل.
        notConnected.rows	لا يُعرف هل في {name} صفوف.
        notConnected.yet	لم يتصل بعد: لم يتغير شيء.
        notDone	لم يُنفَّذ.
        oneHeight	لصفوف النوع {kind} ارتفاع واحد فقط.
        outOfSight	هذا هو الصف المختار: كان خارج المشهد.
        paused	متوقف {what}، {why}
        putDown.board	لم تعد اللوحة موجودة
        putDown.columns	تغيّرت أعمدة اللوحة
        putDown.connection	انقطع الاتصال
        putDown.late	أُمسك مدة أطول من اللازم
        putDown.moved	تم نقله
        putDown.movedBy	نقله {who}
        putDown.removed	أزاله شخص ما
        putDown.removedBy	أزاله {who}
        putDown.why	تم وضعه: {why}.
        reason.failed	لم ينجح الأمر
        reason.late	لا جواب خلال {span}
        reason.lost	فُقد {who}
        reason.unfinished	كان جاريًا عند تصدير اللوحة
        reason.unknown	لا أحد يعرف كيف انتهى
        recall	استرجاع
        recall.nothing	لم يُزل أو يُنجز شيء مؤخرًا.
        redone	أُعيد التنفيذ
        refusal.alreadyDone	تم هذا من قبل أو هو قيد التنفيذ.
        refusal.alreadyUndone	سبق التراجع عن هذا.
        refusal.badAnchor	لا يمكن وضعه هناك.
        refusal.badCode	هذا الرمز غير صالح. اطلب رمزًا جديدًا.
        refusal.cannotMove	لا يمكن نقله.
        refusal.cannotRemove	لا يمكن إزالته.
        refusal.claimed	يعمل عليه شخص آخر.
        refusal.claimed.by	يعمل عليه {who}.
        refusal.conflict	تغيّر منذ ذلك الحين. تراجع عن ذلك أولًا.
        refusal.diskFull	لا مساحة لدى الخادم. لا يمكن تغيير شيء حتى تتوفر.
        refusal.editing	وضع التعديل مفعّل للجميع: لا سحب للصفوف ولا تنفيذ للإجراءات.
        refusal.guarded	لا يمكن فعل ذلك بها الآن.
        refusal.leased	ينقله شخص ما.
        refusal.leased.by	ينقله {who}.
        refusal.needsConfirmation	يُطلب التأكيد الآن. اضغط مرة أخرى.
        refusal.noDaemon	الخادم خلف هذه الصفحة لا يجيب.
        refusal.noFullSwipe	لم يعد هذا ممكنًا بالسحب إلى النهاية.
        refusal.noSection	لا يوجد القسم «{section}» بعد، ولا تستطيع هذه الشاشة إنشاءه.
        refusal.noSuchAction	لم يعد هذا ممكنًا له.
        refusal.noSuchItem	لم يعد موجودًا: أزاله شخص ما.
        refusal.noSuchKind	لم تعد في هذه اللوحة صفوف من هذا النوع.
        refusal.noSuchLease	وُضع قبل أن تتركه.
        refusal.noSuchRow	لم يعد موجودًا: أزاله شخص ما.
        refusal.noSuchSection	لم يعد هذا القسم موجودًا.
        refusal.noSuchState	لم يعد يمكن عرضه هكذا.
        refusal.noSuchTable	لم تعد هذه اللوحة موجودة.
        refusal.notClaimed	أنت لا تعمل عليه.
        refusal.notConnected	غير متصل: لم يتغيّر شيء.
        refusal.notLeader	يتولى خادم آخر العمل. حاول بعد لحظة.
        refusal.notPaired	لم يعد مسموحًا لهذه الشاشة.
        refusal.notUndoable	لا يمكن التراجع عن هذا.
        refusal.nothingToRedo	لا شيء لإعادته.
        refusal.nothingToUndo	لا شيء للتراجع عنه.
        refusal.onlyOneOpen	يمكن فتح صف واحد فقط على هذه اللوحة.
        refusal.paused	متوقف مؤقتًا: لا يبدأ شيء جديد.
        refusal.pinned	مكانه ثابت. لا شيء يتجاوزه.
        refusal.revoked	أُزيلت هذه الشاشة من القائمة. أقرنها من جديد.
        refusal.role	لا يُسمح لهذه الشاشة بذلك.
        refusal.sent	أُرسل {what} ولا يمكن التراجع عنه.
        refusal.stale	غيّره شخص ما للتو. تحقق وحاول مرة أخرى.
        refusal.timeout	لم يصل جواب. حاول مرة أخرى.
        refusal.tooLarge	هذا أطول من اللازم.
        refusal.tooMuch	طلبات كثيرة دفعة واحدة. انتظر دقيقة.
        refusal.unknown	لا يُعرف هل نُفذ هذا. تحقق من فضلك.
        refusal.wrongEdge	لم يعد هذا ممكنًا له.
        release	أفلت: {action}
        removed	أُزيل
        reveal.first	اكشف الإجراءات أولًا: {left} أو {right}.
        revision	مراجعة {revision}
        rowGone	أزال أحدهم الصف.
        rows	{count, plural, zero {لا صفوف} one {صف واحد} two {صفان} few {# صفوف} many {# صفًا} other {# صف}}
        set.how	اكتب :set الحقل=القيمة. title و kind حقلان أيضًا.
        somebody	أحدهم
        span.hours	{count} س
        span.minutes	{count} د
        span.minutesShort	{count} د
        span.seconds	{count} ث
        story	ما جرى لـ {row}
        story.across.after	نقل {row} من {from} إلى {to} بعد «{other}»
        story.across.top	نقل {row} من {from} إلى بداية {to}
        story.act	{action}: {row}
        story.actions	غيّر إجراءات {row}
        story.add.after	أضاف {row} بعد «{other}»
        story.add.top	أضاف {row} في بداية {section}
        story.again	يُعاد تنفيذه
        story.back.after	استرجع {row} بعد «{other}»
        story.back.top	استرجع {row} في بداية {section}
        story.callOff	ألغى {action}: {row}
        story.claim	يعمل على {row}
        story.claimNote	يعمل على {row}: {note}
        story.clear	أفرغ {field} في {row}
        story.close	أغلق {row}
        story.closeAll	أغلق كل الصفوف
        story.edit	بدأ تعديل اللوحة
        story.editEnd	أنهى تعديل اللوحة
        story.fail	فشل: {why}
        story.field	جعل {field} «{value}»
        story.field.was	جعل {field} «{value}» بعد أن كان «{was}»
        story.finish	تم
        story.forgotten	لم يعد معروفًا
        story.itemIn	وضع «{item}» في {row}
        story.itemMove	نقل شيئًا داخل {row}
        story.itemOut	أخرج «{item}» من {row}
        story.itemSet	غيّر «{item}» في {row}
        story.keep	أبقى عنوان {row}
        story.kind	جعل {row} من نوع {kind}
        story.kinds	غيّر أنواع الصفوف
        story.mark	وضع علامة على {row}
        story.more	{count, plural, zero {لا شيء آخر} one {شيء آخر} two {شيئان آخران} few {# أشياء أخرى} many {# شيئًا آخر} other {# شيء آخر}}
        story.move.after	نقل {row} بعد «{other}»
        story.move.top	نقل {row} إلى بداية {section}
        story.none	لا شيء معروف.
        story.open	فتح {row}
        story.openAll	فتح كل الصفوف
        story.other	تغيير
        story.pause	أوقف {what}
        story.redo	أعاد: {what}
        story.release	العمل ينتظر من جديد
        story.remove	أزال {row}
        story.rename	غيّر اسم «{was}» إلى {row}
        story.renameAll	غيّر اسم {row} إلى «{value}»
        story.rest	فشل وسيُعاد: {why}
        story.restored	أعاد ما جرى على {row}
        story.resume	استأنف {what}
        story.row	«{row}»
        story.rows	«{row}» و{more} غيرها
        story.scroll	مرّر {row}
        story.section	أنشأ القسم {section}
        story.sectionEnd	أزال القسم {section}
        story.sectionName	سمّى القسم {section} «{value}»
        story.select	اختار {row}
        story.set	جعل {field} في {row} «{value}»
        story.set.was	جعل {field} في {row} «{value}» بعد أن كان «{was}»
        story.settings	غيّر الإعدادات
        story.sleep	أجّل {row}
        story.states	غيّر مظهر {row}
        story.swap	بدّل {row} و«{other}»
        story.swipe	فتح إجراءات {row}
        story.swipeEnd	أغلق إجراءات {row}
        story.take	تولّى {who} العمل
        story.unclaim	لم يعد يعمل على {row}
        story.undo	تراجع عن: {what}
        story.unmark	أزال العلامة عن {row}
        story.wake	أيقظ {row}
        strip.first	علّم عنصرًا من الشريط أولًا: ← →.
        tooSmall	صغيرة
        totals.nothing	لا شيء للعد.
        totals.of	مجاميع {field}
        totals.titles	مجاميع العناوين
        tried.at	فشل {count}× ({why})، ثانية في {time} ({attempt} من {most})
        tried.now	فشل {count}× ({why})، ثانية الآن ({attempt} من {most})
        undone	تم التراجع
        unknown.table	لا يُعرف عنها شيء بعد.
        until	حتى {time}
        viewers	{count, plural, zero {لا مشاهدين} one {مشاهد واحد} two {مشاهدان} few {# مشاهدين} many {# مشاهدًا} other {# مشاهد}}: {names}
        waiting.daemon	في انتظار الخادم …
        waiting.daemon.more	تظهر {name} هنا حين يجيب.
        waiting.table	في انتظار {name} …
        what.adding	إضافة صف
        what.changing	تغيير {row}
        what.claiming	تولٍّ
        what.closing	إغلاق {row}
        what.closingAll	إغلاق كل الصفوف
        what.editMode	وضع التحرير
        what.lifting	رفع {row}
        what.moving	نقل {rows}
        what.opening	فتح {row}
        what.openingAll	فتح كل الصفوف
        what.pause	إيقاف
        what.puttingOff	تأجيل
        what.recalling	استرجاع {row}
        what.redo	إعادة
        what.resume	استئناف
        what.scrolling	تمرير {row}
        what.selecting	اختيار {row}
        what.several	{what}، {rows}
        what.undo	تراجع
        yes	نعم
        """#)
}

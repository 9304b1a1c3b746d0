// Made by Tests/WebTests/languages.test.mjs from web/languages/es.json.
// swift-format-ignore-file

extension Catalogue {
    static let es = Wording.Language(
        code: "es",
        plurals: "xoxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        messages: #"""
        absent	No hay ningún tablero {name}.
        absent.more	Aparece aquí cuando se cree.
        acts.lack	{rows} de {count} marcadas no tienen allí la acción {action}.
        add.none	{key} añade una.
        added	Se ha añadido {row}.
        age.days	{days} d
        age.hours	{hours} h {minutes}
        ago	hace {age}
        anew	Lo que había aquí era incorrecto y se ha vuelto a pedir.
        arrives	Una fila aparece aquí cuando llega.
        back	{row} ha vuelto.
        back.already	{row} ya ha vuelto.
        back.place	{why} Está de nuevo en su sitio.
        clock.fast	reloj {span} adelantado
        clock.slow	reloj {span} atrasado
        command.add	add TÍTULO: una fila debajo de la elegida
        command.dense	dense: una línea por fila, o tantas como su altura
        command.edit	edit on | off
        command.expand	expand all | none
        command.filter	filter PALABRAS
        command.goto	goto FILA: la elige
        command.mark	mark all | none
        command.mouse	mouse on | off
        command.none	No hay orden «{name}»; hay {all}.
        command.pause	:pause all, o el id de una sección, y el motivo: :pause grill sin gas
        command.section	section NOMBRE: va allí
        command.set	set CAMPO=VALOR: de la fila
        command.snooze	:snooze por un rato o hasta una hora: :snooze 45m, 2h o 14:30
        command.sort	sort CAMPOS: como -age,title; sin campos, como antes
        command.table	table NOMBRE: muestra otro tablero
        command.totals	totals CAMPO: cuántas de cada valor; sin campo, de cada título
        daemon.none	Ningún servidor ha respondido aún: no se ha cambiado nada.
        deed	{action} de {what}
        deed.by	{action} de {what}, por {who}
        delete	Borrar
        deleted	Se ha borrado {row}.
        did	{done}: {row}
        did.moved	movida
        drag.back	Devuelta a su sitio.
        dropped	El tablero se ha eliminado.
        edit	EDICIÓN
        edit.all	EDICIÓN: todos
        edit.by	EDICIÓN: todos, de {who}
        edit.first	Activa antes el modo de edición: {key}.
        edit.here	Esta pantalla está en modo de edición: no se puede deslizar nada. {key} lo termina.
        edit.noControl.delete	Las filas del tipo {kind} no se pueden borrar.
        edit.noControl.insert	Bajo las filas del tipo {kind} no se puede insertar.
        edit.off	{who} ha terminado el modo de edición.
        edit.off.redo	{who} ha terminado el modo de edición al rehacer.
        edit.off.undo	{who} ha terminado el modo de edición al deshacer.
        edit.on	{who} ha activado el modo de edición para todos: no se puede deslizar nada. {key} lo termina.
        edit.on.redo	{who} ha activado el modo de edición para todos al rehacer: no se puede deslizar nada. {key} lo termina.
        edit.on.undo	{who} ha activado el modo de edición para todos al deshacer: no se puede deslizar nada. {key} lo termina.
        edit.over	El modo de edición para todos ha terminado, porque ya nadie lo mantenía.
        edit.table	El tablero está en modo de edición: no se puede deslizar nada. {key} lo termina.
        empty	vacía
        empty.section	{section} está vacía.
        empty.table	{name} no tiene filas.
        empty.was	{name} no tenía filas la última vez que se supo de él.
        failed	{action} falló: {why}
        fault.comma	aquí va una coma o el final, no {found}
        fault.comparison	aquí va una comparación como `==`, no {found}
        fault.end	el final
        fault.escape	tras \ va uno de {signs}
        fault.id	aquí va un identificador entre comillas, no {found}
        fault.joined	aquí va `and`, `or` o el final, no {found}
        fault.name	aquí va un nombre, no {found}
        fault.names	puede ser: {names}
        fault.noneOf	`{what}` no es ninguno de: {names}
        fault.notAlone	`{what}` no es solo de la fila: title, kind, state, items y field.NAME sí
        fault.notOfRow	`{what}` no es de la fila: {names} y now sí
        fault.number	`{text}` no es un número
        fault.ofRow	`{what}` es de una fila: escribe {code} o úsalo tras `where`
        fault.open	este texto no termina
        fault.strange	aquí no va nada que empiece por `{sign}`
        fault.tooDeep	más de {most} niveles
        fault.tooLong	más de {most} palabras y signos
        fault.unknown	aquí no se conoce `{what}`
        fault.value	aquí va un valor, no {found}
        fault.wanted	aquí va {wanted}, no {found}
        fault.written	`{sign}` se escribe `{right}`
        filter.clear	{key} muestra todas las filas.
        filter.found	{count} de {all} filas tienen «{text}». {key} las muestra todas.
        filter.none	Ninguna fila tiene «{text}».
        find.count	{found} de {all}
        form.cleared	entretanto: quitado
        form.edit	Editar {row}
        form.edit.gone	Editar {row}: se ha quitado
        form.field	+ campo
        form.field.how	Escribe CAMPO=VALOR para otro campo.
        form.gone	Alguien ha quitado la fila: {key} quizá la recupere.
        form.kept	Guardado y sin enviar. {key} lo muestra de nuevo.
        form.kind	tipo
        form.meanwhile	entretanto: {text}
        form.new	Fila nueva
        form.noKind	No hay tipo {kind}; hay {all}.
        form.noSection	No hay sección {section}; hay {all}.
        form.others	Otros han cambiado lo mismo entretanto: se ven ambos. {key} otra vez envía lo tuyo.
        form.section	sección
        form.sending	enviando …
        form.sending.wait	Se está enviando. {key} lo cierra mientras tanto.
        form.thrown	Descartado: no se ha cambiado nada.
        form.title	título
        form.unsent	Escrito y sin enviar: {names}. {key} otra vez lo descarta.
        form.unsent.new	una fila nueva
        fresh.absent	no existe
        fresh.catchingUp	poniéndose al día
        fresh.connecting	conectando
        fresh.disconnected	desconectado
        fresh.live	en vivo
        fresh.stale	sin noticias {count} s
        fresh.waiting	esperando
        hand.gone	Alguien ha quitado lo que estaba levantado.
        hand.held	{who} tiene {row} en la mano.
        hand.nowhere	Devuelta: no hay dónde soltarla.
        hand.other	Suéltala antes: {drop} la suelta, {back} la devuelve.
        hand.pinned	Las filas del tipo {kind} no se mueven.
        hand.sorted	Esta pantalla está ordenada por {keys}: aquí no se mueve ninguna fila.
        hand.stays	Se queda donde estaba.
        hand.why	Devuelta: {why}.
        help	Ayuda
        help.click	elegir una fila; otra vez, o en su flecha: abrirla o cerrarla
        help.digit	ejecutar la acción con este dígito, de una fila deslizada o de un menú
        help.lift	levantar una fila y moverla; Esc la devuelve
        help.nothing	Nada coincide.
        help.search	Ayuda: escribe para buscar
        help.swipe	deslizar una fila, paso a paso; más allá de la marca: su primera acción al momento
        help.wheel	desplazar
        hint.actions	acciones
        hint.add	añadir
        hint.addRow	añadir una fila
        hint.bringBack	recuperarla
        hint.choose	elegir
        hint.close	cerrar
        hint.delete	borrar
        hint.done	listo
        hint.drag	arrastrar
        hint.drop	soltar aquí
        hint.edit	editar
        hint.filter	filtrar
        hint.help	ayuda
        hint.insert	insertar debajo
        hint.itemMenu	sus acciones
        hint.items	elementos
        hint.keep	guardar
        hint.line	línea
        hint.move	mover
        hint.notShown	no se muestra:
        hint.open	abrir
        hint.perform	ejecutar
        hint.putBack	devolver
        hint.quit	salir
        hint.recall	recuperar
        hint.release	soltar
        hint.releaseTo	abre; más allá de la marca, ejecuta
        hint.scroll	desplazar
        hint.search	buscar
        hint.select	elegirlo
        hint.send	enviar
        hint.throwAway	descartar
        hint.undo	deshacer
        history.lost	El servidor ha perdido cambios que se veían aquí.
        history.other	El servidor tiene otro historial.
        history.takenBack	deshecho
        key.add	añadir una fila a esta sección
        key.cancel	cancelar: soltar, cerrar, quitar el filtro
        key.claim	decir que trabajas en la fila, o que ya no
        key.collapse-all	cerrar todas las filas
        key.command	una línea de órdenes: add, set, sort, goto, section, expand, mouse, quit …
        key.delete	en modo de edición, borrar la fila que tiene un −
        key.density	una línea por fila, o tantas como su altura
        key.down	la fila siguiente; levantada: un lugar abajo
        key.edit	modo de edición de esta pantalla: en él no se desliza nada
        key.enter	ejecutar la acción marcada, soltar, tocar un elemento, o abrir
        key.expand	abrir la fila, un estado más, o cerrarla
        key.expand-all	abrir todas las filas
        key.filter	mostrar solo filas con estas palabras, o con campo=palabra
        key.first	la primera fila
        key.help	esta lista; escribe para buscar en ella
        key.insert	en modo de edición, insertar una fila bajo la que tiene un +
        key.last	la última fila
        key.left	descubrir las acciones de la derecha, o la siguiente; en una tira, el elemento anterior
        key.lift	levantar la fila, para moverla
        key.mark	marcar la fila, o no: lo que se hace con una marcada se hace con todas
        key.menu	las acciones del elemento marcado
        key.mouse	ratón sí o no; sin él, el terminal vuelve a seleccionar texto
        key.next-late	la siguiente fila con retraso, o que pide atención
        key.next-section	la sección siguiente
        key.page-down	una pantalla abajo; con un elemento marcado, una página de su tira
        key.page-up	una pantalla arriba; con un elemento marcado, una página de su tira
        key.previous-section	el comienzo de esta sección, o la anterior
        key.quit	salir
        key.recall	lo que se quitó o se hizo hace poco, para recuperarlo
        key.redo	rehacer lo deshecho
        key.redraw	dibujar la pantalla de nuevo
        key.right	descubrir las acciones de la izquierda, o la siguiente; en una tira, el elemento siguiente
        key.select	tocar la fila o el elemento: sucede lo que dice su tipo
        key.set	editar la fila: título, campos y tipo
        key.snooze	aplazar la fila 10 minutos, o despertarla
        key.suspend	suspender el visor; `fg` lo reanuda
        key.totals	cuántas hay de cada título entre las filas mostradas
        key.undo	deshacer tu último cambio
        key.up	la fila anterior; levantada: un lugar arriba
        keys.actions	{count, plural, one {Aquí hay una acción.} other {Aquí hay # acciones.}}
        keys.noneLate	Ninguna fila va con retraso.
        kiosk	Es la pantalla de un puesto. Ctrl-C la termina.
        lag	retraso {count} ms
        landed.after.moved	La fila está detrás de {row}: se movió {gone}.
        landed.after.pinned	La fila está detrás de {row}: ninguna fila pasa por delante de las fijadas.
        landed.after.removed	La fila está detrás de {row}: se quitó {gone}.
        landed.attempt.later	El intento {attempt} de {most} falló. El siguiente toca en {seconds} s.
        landed.attempt.now	El intento {attempt} de {most} falló. El siguiente toca ahora.
        landed.effectsLeftOut	Se omitieron los efectos posteriores: {why}
        landed.elsewhere	No está justo en su sitio: las filas de alrededor han cambiado.
        landed.sectionStays	La sección {section} se queda: tiene filas.
        landed.top.moved	La fila está al principio de {section}: se movió {gone}.
        landed.top.pinned	La fila está al principio de {section}: ninguna fila pasa por delante de las fijadas.
        landed.top.removed	La fila está al principio de {section}: se quitó {gone}.
        lifted	levantada
        marked	{count} marcadas
        marked.rows	{rows} con marca. {key} quita las marcas.
        menu.empty	Ya no tiene acciones.
        menu.none	Este elemento no tiene menú.
        menu.rows	Las filas tienen sus acciones detrás: {left} {right}.
        moment	Un momento …
        more	{count} más
        mouse.off	El ratón está desactivado: el terminal selecciona texto. {key} lo activa.
        mouse.on	El ratón está activado.
        newRow	fila nueva en {section}:
        no	no
        noActions.left	No hay acciones a la izquierda.
        noActions.right	No hay acciones a la derecha.
        noAnswer	{what}: sin respuesta aún
        noItems	sin elementos
        noRow	No hay fila {row}.
        noRow.here	La fila {row} no se muestra en esta pantalla.
        noRow.selected	No hay fila elegida.
        noRow.station	Ninguna fila es para esta pantalla.
        noSection	No hay sección {section}.
        notConnected	Sin conexión.
        notConnected.rows	No se sabe si {name} tiene filas.
        notConnected.yet	Aún sin conexión: no se ha cambiado nada.
        notDone	No se ha hecho.
        oneHeight	Las filas del tipo {kind} solo tienen una altura.
        outOfSight	Esta es la fila elegida: no estaba a la vista.
        paused	EN PAUSA {what}, {why}
        putDown.board	el tablero ya no existe
        putDown.columns	el tablero tiene ahora otras columnas
        putDown.connection	se perdió la conexión
        putDown.late	estuvo levantada demasiado tiempo
        putDown.moved	se ha movido
        putDown.movedBy	{who} la ha movido
        putDown.removed	alguien se la ha llevado
        putDown.removedBy	{who} se la ha llevado
        putDown.why	Se ha soltado: {why}.
        reason.failed	no funcionó
        reason.late	sin respuesta en {span}
        reason.lost	se perdió {who}
        reason.unfinished	estaba en curso cuando se exportó el tablero
        reason.unknown	nadie sabe cómo terminó
        recall	Recuperar
        recall.nothing	No se ha quitado ni hecho nada hace poco.
        redone	Rehecho
        refusal.alreadyDone	Ya está hecho o en curso.
        refusal.alreadyUndone	Eso ya se deshizo.
        refusal.badAnchor	No puede ir ahí.
        refusal.badCode	Ese código no funciona. Pide uno nuevo.
        refusal.cannotMove	No se puede mover.
        refusal.cannotRemove	No se puede quitar.
        refusal.claimed	Otra persona se encarga.
        refusal.claimed.by	{who} se encarga.
        refusal.conflict	Ha cambiado desde entonces. Deshaz eso antes.
        refusal.diskFull	El servidor no tiene espacio. Hasta que lo tenga no se puede cambiar nada.
        refusal.editing	El modo de edición está activado para todos: no se puede deslizar ninguna fila ni hacer ninguna acción.
        refusal.guarded	Ahora no se puede hacer eso con ella.
        refusal.leased	Alguien la está moviendo.
        refusal.leased.by	{who} la está moviendo.
        refusal.needsConfirmation	Ahora se pregunta antes. Pulsa otra vez.
        refusal.noDaemon	El servidor detrás de esta página no responde.
        refusal.noFullSwipe	Eso ya no se puede hacer deslizando del todo.
        refusal.noSection	Aún no existe la sección «{section}», y esta pantalla no puede crearla.
        refusal.noSuchAction	Eso ya no se le puede hacer.
        refusal.noSuchItem	Ya no está: alguien se lo ha llevado.
        refusal.noSuchKind	Este tablero ya no tiene filas de ese tipo.
        refusal.noSuchLease	Se soltó antes de que la dejaras.
        refusal.noSuchRow	Ya no está: alguien se la ha llevado.
        refusal.noSuchSection	Esa sección ya no existe.
        refusal.noSuchState	Ya no se puede mostrar así.
        refusal.noSuchTable	Este tablero ya no existe.
        refusal.notClaimed	No te encargas tú.
        refusal.notConnected	Sin conexión: no se ha cambiado nada.
        refusal.notLeader	Otro servidor toma el relevo. Inténtalo de nuevo enseguida.
        refusal.notPaired	Esta pantalla ya no tiene acceso.
        refusal.notUndoable	Eso no se puede deshacer.
        refusal.nothingToRedo	No hay nada que rehacer.
        refusal.nothingToUndo	No hay nada que deshacer.
        refusal.onlyOneOpen	En este tablero solo puede haber una fila abierta.
        refusal.paused	Está en pausa: no se empieza nada nuevo.
        refusal.pinned	Tiene un sitio fijo. Nada pasa de ahí.
        refusal.revoked	Esta pantalla se quitó de la lista. Vincúlala de nuevo.
        refusal.role	Esta pantalla no puede hacer eso.
        refusal.sent	{what} ya se envió y no se puede deshacer.
        refusal.stale	Alguien la acaba de cambiar. Míralo e inténtalo de nuevo.
        refusal.timeout	No hubo respuesta. Inténtalo de nuevo.
        refusal.tooLarge	Es demasiado largo.
        refusal.tooMuch	Demasiado a la vez. Espera un minuto.
        refusal.unknown	No se sabe si se hizo. Compruébalo.
        refusal.wrongEdge	Eso ya no se le puede hacer.
        release	soltar: {action}
        removed	quitada
        reveal.first	Descubre antes las acciones: {left} o {right}.
        revision	rev. {revision}
        rowGone	Alguien ha quitado la fila.
        rows	{count, plural, one {# fila} other {# filas}}
        set.how	Escribe :set CAMPO=VALOR. También title y kind son campos.
        somebody	Alguien
        span.hours	{count} h
        span.minutes	{count} min
        span.minutesShort	{count} m
        span.seconds	{count} s
        story	Qué pasó con {row}
        story.across.after	Movió {row} de {from} a {to}, después de «{other}»
        story.across.top	Movió {row} de {from} a {to}, al principio
        story.act	{action}: {row}
        story.actions	Dio otras acciones a {row}
        story.add.after	Añadió {row} después de «{other}»
        story.add.top	Añadió {row} al principio de {section}
        story.again	Se intenta otra vez
        story.back.after	Recuperó {row} después de «{other}»
        story.back.top	Recuperó {row} al principio de {section}
        story.callOff	Canceló {action}: {row}
        story.claim	Se encarga de {row}
        story.claimNote	Se encarga de {row}: {note}
        story.clear	Vació {field} de {row}
        story.close	Cerró {row}
        story.closeAll	Cerró todas las filas
        story.edit	Empezó a editar el tablero
        story.editEnd	Terminó de editar el tablero
        story.fail	Falló: {why}
        story.field	Puso {field} en «{value}»
        story.field.was	Puso {field} en «{value}»; antes era «{was}»
        story.finish	Se hizo
        story.forgotten	Ya no se sabe
        story.itemIn	Puso «{item}» en {row}
        story.itemMove	Movió algo dentro de {row}
        story.itemOut	Sacó «{item}» de {row}
        story.itemSet	Cambió «{item}» de {row}
        story.keep	Mantuvo el título de {row}
        story.kind	Convirtió {row} en {kind}
        story.kinds	Cambió los tipos de filas
        story.mark	Marcó {row}
        story.more	{count, plural, one {# cosa más} other {# cosas más}}
        story.move.after	Movió {row} después de «{other}»
        story.move.top	Movió {row} al principio de {section}
        story.none	No se sabe nada.
        story.open	Abrió {row}
        story.openAll	Abrió todas las filas
        story.other	Un cambio
        story.pause	Pausó {what}
        story.redo	Rehízo: {what}
        story.release	El trabajo espera otra vez
        story.remove	Quitó {row}
        story.rename	Cambió el nombre de «{was}» a {row}
        story.renameAll	Cambió el nombre de {row} a «{value}»
        story.rest	Falló, se intentará otra vez: {why}
        story.restored	Repuso lo que se hizo en {row}
        story.resume	Reanudó {what}
        story.row	«{row}»
        story.rows	«{row}» y {more} más
        story.scroll	Desplazó {row}
        story.section	Creó la sección {section}
        story.sectionEnd	Quitó la sección {section}
        story.sectionName	Llamó «{value}» a la sección {section}
        story.select	Eligió {row}
        story.set	Puso {field} de {row} en «{value}»
        story.set.was	Puso {field} de {row} en «{value}»; antes era «{was}»
        story.settings	Cambió los ajustes
        story.sleep	Aplazó {row}
        story.states	Dio otro aspecto a {row}
        story.swap	Intercambió {row} y «{other}»
        story.swipe	Abrió las acciones de {row}
        story.swipeEnd	Cerró las acciones de {row}
        story.take	{who} se hizo cargo
        story.unclaim	Ya no se encarga de {row}
        story.undo	Deshizo: {what}
        story.unmark	Desmarcó {row}
        story.wake	Despertó {row}
        strip.first	Marca antes un elemento de la tira: ← →.
        tooSmall	muy pequeño
        totals.nothing	No hay nada que contar.
        totals.of	Totales de {field}
        totals.titles	Totales por título
        tried.at	falló {count, plural, one {# vez} other {# veces}} ({why}), otra vez a las {time} ({attempt} de {most})
        tried.now	falló {count, plural, one {# vez} other {# veces}} ({why}), otra vez ahora ({attempt} de {most})
        undone	Deshecho
        unknown.table	Aún no se sabe nada de él.
        until	hasta {time}
        viewers	{count, plural, one {# espectador} other {# espectadores}}: {names}
        waiting.daemon	Esperando al servidor …
        waiting.daemon.more	{name} aparece aquí cuando responda.
        waiting.table	Esperando {name} …
        what.adding	añadir una fila
        what.changing	cambiar {row}
        what.claiming	hacerse cargo
        what.closing	cerrar {row}
        what.closingAll	cerrar todas las filas
        what.editMode	modo de edición
        what.lifting	levantar {row}
        what.moving	mover {rows}
        what.opening	abrir {row}
        what.openingAll	abrir todas las filas
        what.pause	pausar
        what.puttingOff	aplazar
        what.recalling	recuperar {row}
        what.redo	rehacer
        what.resume	reanudar
        what.scrolling	desplazar {row}
        what.selecting	elegir {row}
        what.several	{what}, {rows}
        what.undo	deshacer
        yes	sí
        """#)
}

// Made by Tests/WebTests/languages.test.mjs from web/languages/fr.json.
// swift-format-ignore-file

extension Catalogue {
    static let fr = Wording.Language(
        code: "fr",
        plurals: "ooxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        messages: #"""
        absent	Il n’y a pas de tableau {name}.
        absent.more	Il apparaît ici dès qu’il est créé.
        acts.lack	{rows} sur {count} marquées n’ont pas l’action {action} à cet endroit.
        add.none	{key} en ajoute une.
        added	{row} ajoutée.
        age.days	{days} j
        age.hours	{hours} h {minutes}
        ago	il y a {age}
        anew	Ce qui était ici était faux et a été redemandé.
        arrives	Une ligne apparaît ici quand elle arrive.
        back	{row} est de retour.
        back.already	{row} est déjà de retour.
        back.place	{why} Elle est revenue à sa place.
        clock.fast	horloge en avance de {span}
        clock.slow	horloge en retard de {span}
        command.add	add TITRE : une ligne sous celle choisie
        command.dense	dense : une seule ligne d’écran par ligne, ou autant que sa hauteur
        command.edit	edit on | off
        command.expand	expand all | none
        command.filter	filter MOTS
        command.goto	goto LIGNE : la choisit
        command.mark	mark all | none
        command.mouse	mouse on | off
        command.none	Pas de commande « {name} » : il y a {all}.
        command.pause	:pause all, ou l’identifiant d’une section, et la raison : :pause grill plus de gaz
        command.section	section NOM : y va
        command.set	set CHAMP=VALEUR : de la ligne
        command.snooze	:snooze pour un moment ou jusqu’à une heure : :snooze 45m, 2h ou 14:30
        command.sort	sort CHAMPS : comme -age,title ; sans champs, comme avant
        command.table	table NOM : montre un autre tableau
        command.totals	totals CHAMP : combien de chaque valeur ; sans champ, de chaque titre
        daemon.none	Aucun serveur n’a encore répondu : rien n’a été changé.
        deed	{action} de {what}
        deed.by	{action} de {what}, par {who}
        delete	Supprimer
        deleted	{row} supprimée.
        did	{done} : {row}
        did.moved	déplacée
        drag.back	Remise en place.
        dropped	Le tableau a été supprimé.
        edit	ÉDITION
        edit.all	ÉDITION : tous
        edit.by	ÉDITION : tous, par {who}
        edit.first	Active d’abord le mode édition : {key}.
        edit.here	Cet écran est en mode édition : rien ne peut être glissé. {key} y met fin.
        edit.noControl.delete	Les lignes du genre {kind} ne se suppriment pas.
        edit.noControl.insert	On n’insère rien sous les lignes du genre {kind}.
        edit.off	{who} a mis fin au mode édition.
        edit.off.redo	{who} a mis fin au mode édition en rétablissant.
        edit.off.undo	{who} a mis fin au mode édition en annulant.
        edit.on	{who} a activé le mode édition pour tous : rien ne peut être glissé. {key} y met fin.
        edit.on.redo	{who} a activé le mode édition pour tous en rétablissant : rien ne peut être glissé. {key} y met fin.
        edit.on.undo	{who} a activé le mode édition pour tous en annulant : rien ne peut être glissé. {key} y met fin.
        edit.over	Le mode édition pour tous est terminé, car plus personne ne le maintenait.
        edit.table	Le tableau est en mode édition : rien ne peut être glissé. {key} y met fin.
        empty	vide
        empty.section	{section} est vide.
        empty.table	{name} n’a pas de lignes.
        empty.was	{name} n’avait pas de lignes aux dernières nouvelles.
        failed	Échec de {action} : {why}
        fault.comma	ici il faut une virgule ou la fin, pas {found}
        fault.comparison	il faut ici une comparaison comme `==`, pas {found}
        fault.end	la fin
        fault.escape	après \ il faut un de {signs}
        fault.id	il faut ici un identifiant entre guillemets, pas {found}
        fault.joined	il faut ici `and`, `or` ou la fin, pas {found}
        fault.name	il faut ici un nom, pas {found}
        fault.names	possibles : {names}
        fault.noneOf	`{what}` n’est aucun de : {names}
        fault.notAlone	`{what}` n’est pas de la ligne seule : title, kind, state, items et field.NAME le sont
        fault.notOfRow	`{what}` n’est pas de la ligne : {names} et now le sont
        fault.number	`{text}` n’est pas un nombre
        fault.ofRow	`{what}` est d’une ligne : écrivez {code}, ou après `where`
        fault.open	ce texte n’a pas de fin
        fault.strange	rien ne commence ici par `{sign}`
        fault.tooDeep	plus de {most} niveaux
        fault.tooLong	plus de {most} mots et signes
        fault.unknown	`{what}` n’est pas connu ici
        fault.value	il faut ici une valeur, pas {found}
        fault.wanted	il faut ici {wanted}, pas {found}
        fault.written	`{sign}` s’écrit `{right}`
        filter.clear	{key} montre toutes les lignes.
        filter.found	{count} lignes sur {all} ont « {text} ». {key} les montre toutes.
        filter.none	Aucune ligne n’a « {text} ».
        find.count	{found} sur {all}
        form.cleared	entre-temps : retiré
        form.edit	Modifier {row}
        form.edit.gone	Modifier {row} : elle a été retirée
        form.field	+ champ
        form.field.how	Écris CHAMP=VALEUR pour un autre champ.
        form.gone	Quelqu’un a retiré la ligne : {key} peut la ramener.
        form.kept	Gardé, non envoyé. {key} le montre à nouveau.
        form.kind	genre
        form.meanwhile	entre-temps : {text}
        form.new	Nouvelle ligne
        form.noKind	Il n’y a pas de genre {kind} : il y a {all}.
        form.noSection	Il n’y a pas de section {section} : il y a {all}.
        form.others	D’autres ont changé la même chose entre-temps : les deux sont montrés. {key} encore une fois envoie le tien.
        form.section	section
        form.sending	en cours d’envoi …
        form.sending.wait	Envoi en cours. {key} le ferme en attendant.
        form.thrown	Jeté : rien n’a été changé.
        form.title	titre
        form.unsent	Tapé et non envoyé : {names}. {key} encore une fois le jette.
        form.unsent.new	une nouvelle ligne
        fresh.absent	tableau inconnu
        fresh.catchingUp	rattrapage
        fresh.connecting	connexion
        fresh.disconnected	déconnecté
        fresh.live	en direct
        fresh.stale	sans nouvelles {count} s
        fresh.waiting	attente
        hand.gone	Quelqu’un a retiré ce qui était soulevé.
        hand.held	{who} tient {row}.
        hand.nowhere	Remise en place : nulle part où la poser.
        hand.other	Pose-la d’abord : {drop} la pose, {back} la remet en place.
        hand.pinned	Les lignes du genre {kind} ne se déplacent pas.
        hand.sorted	Cet écran est trié par {keys} : aucune ligne n’y est déplacée.
        hand.stays	Elle reste où elle était.
        hand.why	Remise en place : {why}.
        help	Aide
        help.click	choisir une ligne ; encore, ou sur sa flèche : l’ouvrir ou la fermer
        help.digit	exécuter l’action de ce chiffre, d’une ligne glissée ou d’un menu
        help.lift	soulever une ligne et la déplacer ; Esc la remet en place
        help.nothing	Rien ne correspond.
        help.search	Aide : tape pour chercher
        help.swipe	glisser une ligne, pas à pas ; au-delà de la marque : sa première action aussitôt
        help.wheel	défiler
        hint.actions	actions
        hint.add	ajouter
        hint.addRow	ajouter une ligne
        hint.bringBack	ramener
        hint.choose	choisir
        hint.close	fermer
        hint.delete	supprimer
        hint.done	terminé
        hint.drag	glisser
        hint.drop	poser ici
        hint.edit	modifier
        hint.filter	filtrer
        hint.help	aide
        hint.insert	insérer dessous
        hint.itemMenu	ses actions
        hint.items	éléments
        hint.keep	garder
        hint.line	ligne
        hint.move	déplacer
        hint.notShown	non montré :
        hint.open	ouvrir
        hint.perform	exécuter
        hint.putBack	remettre
        hint.quit	quitter
        hint.recall	rappeler
        hint.release	lâcher
        hint.releaseTo	pour ouvrir, ou au-delà de la marque pour exécuter
        hint.scroll	défiler
        hint.search	chercher
        hint.select	le choisir
        hint.send	envoyer
        hint.throwAway	jeter
        hint.undo	annuler
        history.lost	Le serveur a perdu des changements montrés ici.
        history.other	Le serveur a un autre historique.
        history.takenBack	annulé
        key.add	ajouter une ligne à cette section
        key.cancel	annuler : poser, fermer, enlever le filtre
        key.claim	dire que tu t’occupes de la ligne, ou plus
        key.collapse-all	fermer toutes les lignes
        key.command	une ligne de commande : add, set, sort, goto, section, expand, mouse, quit …
        key.delete	en mode édition, supprimer la ligne qui a un −
        key.density	une seule ligne d’écran par ligne, ou autant que sa hauteur
        key.down	la ligne suivante ; soulevée : une place plus bas
        key.edit	mode édition de cet écran : rien n’y glisse
        key.enter	exécuter l’action marquée, poser, toucher un élément, ou ouvrir
        key.expand	ouvrir la ligne, un état plus loin, ou la fermer
        key.expand-all	ouvrir toutes les lignes
        key.filter	montrer seulement les lignes avec ces mots, ou avec champ=mot
        key.first	la première ligne
        key.help	cette liste ; tape pour y chercher
        key.insert	en mode édition, insérer une ligne sous celle qui a un +
        key.last	la dernière ligne
        key.left	découvrir les actions de droite, ou la suivante ; dans une bande, l’élément d’avant
        key.lift	soulever la ligne, pour la déplacer
        key.mark	marquer la ligne, ou plus : ce qu’on fait à une ligne marquée est fait à toutes
        key.menu	les actions de l’élément marqué
        key.mouse	souris ou non ; sans elle, le terminal sélectionne à nouveau du texte
        key.next-late	la ligne suivante en retard, ou qui demande attention
        key.next-section	la section suivante
        key.page-down	un écran plus bas ; avec un élément marqué, une page de sa bande
        key.page-up	un écran plus haut ; avec un élément marqué, une page de sa bande
        key.previous-section	le début de cette section, ou la section d’avant
        key.quit	quitter
        key.recall	ce qui a été retiré ou traité récemment, pour le ramener
        key.redo	refaire ce qui a été annulé
        key.redraw	redessiner l’écran
        key.right	découvrir les actions de gauche, ou la suivante ; dans une bande, l’élément suivant
        key.select	toucher la ligne ou l’élément : il se passe ce que dit son genre
        key.set	modifier la ligne : titre, champs et genre
        key.snooze	reporter la ligne de 10 minutes, ou la réveiller
        key.suspend	suspendre l’afficheur ; `fg` le reprend
        key.totals	combien il y a de chaque titre parmi les lignes montrées
        key.undo	annuler ton dernier changement
        key.up	la ligne d’avant ; soulevée : une place plus haut
        keys.actions	{count, plural, one {Il y a une action ici.} other {Il y a # actions ici.}}
        keys.noneLate	Aucune ligne n’est en retard.
        kiosk	C’est l’écran d’un poste. Ctrl-C y met fin.
        lag	retard {count} ms
        landed.after.moved	La ligne est après {row} : {gone} a été déplacée.
        landed.after.pinned	La ligne est après {row} : aucune ligne ne passe les lignes épinglées.
        landed.after.removed	La ligne est après {row} : {gone} a été retirée.
        landed.attempt.later	L’essai {attempt} sur {most} a échoué. Le suivant est à faire dans {seconds} s.
        landed.attempt.now	L’essai {attempt} sur {most} a échoué. Le suivant est à faire maintenant.
        landed.effectsLeftOut	Les effets suivants ont été omis : {why}
        landed.elsewhere	Pas tout à fait à sa place : les lignes voisines ont changé.
        landed.sectionStays	La section {section} reste : elle a des lignes.
        landed.top.moved	La ligne est en haut de {section} : {gone} a été déplacée.
        landed.top.pinned	La ligne est en haut de {section} : aucune ligne ne passe les lignes épinglées.
        landed.top.removed	La ligne est en haut de {section} : {gone} a été retirée.
        lifted	soulevée
        marked	{count} marquées
        marked.rows	{rows} avec marque. {key} retire les marques.
        menu.empty	Il n’a plus d’actions.
        menu.none	Cet élément n’a pas de menu.
        menu.rows	Les lignes ont leurs actions derrière elles : {left} {right}.
        moment	Un instant …
        more	{count} de plus
        mouse.off	La souris est coupée : le terminal sélectionne du texte. {key} la remet.
        mouse.on	La souris est active.
        newRow	nouvelle ligne dans {section} :
        no	non
        noActions.left	Il n’y a pas d’actions à gauche.
        noActions.right	Il n’y a pas d’actions à droite.
        noAnswer	{what} : pas encore de réponse
        noItems	aucun élément
        noRow	Il n’y a pas de ligne {row}.
        noRow.here	La ligne {row} n’est pas montrée sur cet écran.
        noRow.selected	Aucune ligne n’est choisie.
        noRow.station	Aucune ligne n’est pour cet écran.
        noSection	Il n’y a pas de section {section}.
        notConnected	Non connecté.
        notConnected.rows	On ne sait pas si {name} a des lignes.
        notConnected.yet	Pas encore connecté : rien n’a été changé.
        notDone	Pas fait.
        oneHeight	Les lignes du genre {kind} n’ont qu’une hauteur.
        outOfSight	Voici la ligne choisie : elle était hors de vue.
        paused	EN PAUSE {what}, {why}
        putDown.board	le tableau n’existe plus
        putDown.columns	le tableau a maintenant d’autres colonnes
        putDown.connection	la connexion a été perdue
        putDown.late	elle a été tenue trop longtemps
        putDown.moved	elle a été déplacée
        putDown.movedBy	{who} l’a déplacée
        putDown.removed	quelqu’un l’a retirée
        putDown.removedBy	{who} l’a retirée
        putDown.why	Elle a été posée : {why}.
        reason.failed	cela n’a pas marché
        reason.late	pas de réponse en {span}
        reason.lost	{who} a disparu
        reason.unfinished	c’était en cours quand le tableau a été exporté
        reason.unknown	personne ne sait comment cela s’est terminé
        recall	Rappeler
        recall.nothing	Rien n’a été retiré ou fait récemment.
        redone	Rétabli
        refusal.alreadyDone	C’est déjà fait, ou en cours.
        refusal.alreadyUndone	C’est déjà annulé.
        refusal.badAnchor	Elle ne peut pas aller là.
        refusal.badCode	Ce code ne marche pas. Demandez-en un nouveau.
        refusal.cannotMove	Elle ne peut pas être déplacée.
        refusal.cannotRemove	Elle ne peut pas être retirée.
        refusal.claimed	Quelqu’un d’autre s’en occupe.
        refusal.claimed.by	{who} s’en occupe.
        refusal.conflict	Cela a changé depuis. Annulez d’abord cela.
        refusal.diskFull	Le serveur n’a plus de place. D’ici là, rien ne peut être modifié.
        refusal.editing	Le mode édition est actif pour tous : aucune ligne ne peut glisser, aucune action n’est possible.
        refusal.guarded	Ce n’est pas possible pour l’instant.
        refusal.leased	Quelqu’un la déplace.
        refusal.leased.by	{who} la déplace.
        refusal.needsConfirmation	Une confirmation est maintenant demandée. Appuyez encore une fois.
        refusal.noDaemon	Le serveur derrière cette page ne répond pas.
        refusal.noFullSwipe	Ce n’est plus possible en glissant jusqu’au bout.
        refusal.noSection	La section « {section} » n’existe pas encore, et cet écran ne peut pas la créer.
        refusal.noSuchAction	Ce n’est plus possible pour elle.
        refusal.noSuchItem	Il n’est plus là : quelqu’un l’a retiré.
        refusal.noSuchKind	Ce tableau n’a plus de lignes de ce type.
        refusal.noSuchLease	Elle a été posée avant que vous ne la lâchiez.
        refusal.noSuchRow	Elle n’est plus là : quelqu’un l’a retirée.
        refusal.noSuchSection	Cette section n’existe plus.
        refusal.noSuchState	Elle ne peut plus être affichée ainsi.
        refusal.noSuchTable	Ce tableau n’existe plus.
        refusal.notClaimed	Vous ne vous en occupez pas.
        refusal.notConnected	Déconnecté : rien n’a été modifié.
        refusal.notLeader	Un autre serveur prend le relais. Réessayez dans un instant.
        refusal.notPaired	Cet écran n’est plus admis.
        refusal.notUndoable	Cela ne peut pas être annulé.
        refusal.nothingToRedo	Il n’y a rien à rétablir.
        refusal.nothingToUndo	Il n’y a rien à annuler.
        refusal.onlyOneOpen	Une seule ligne peut être ouverte sur ce tableau.
        refusal.paused	C’est en pause : rien de nouveau n’est commencé.
        refusal.pinned	Elle a une place fixe. Rien ne la dépasse.
        refusal.revoked	Cet écran a été retiré de la liste. Associez-le de nouveau.
        refusal.role	Cet écran ne peut pas faire cela.
        refusal.sent	{what} est parti et ne peut pas être annulé.
        refusal.stale	Quelqu’un vient de la modifier. Vérifiez et réessayez.
        refusal.timeout	Pas de réponse. Veuillez réessayer.
        refusal.tooLarge	C’est trop long.
        refusal.tooMuch	C’était trop à la fois. Attendez une minute.
        refusal.unknown	On ne sait pas si cela a été fait. Veuillez vérifier.
        refusal.wrongEdge	Ce n’est plus possible pour elle.
        release	lâcher : {action}
        removed	retirée
        reveal.first	Découvre d’abord les actions : {left} ou {right}.
        revision	rév. {revision}
        rowGone	Quelqu’un a retiré la ligne.
        rows	{count, plural, one {# ligne} other {# lignes}}
        set.how	Écris :set CHAMP=VALEUR. title et kind sont aussi des champs.
        somebody	Quelqu’un
        span.hours	{count} h
        span.minutes	{count} min
        span.minutesShort	{count} m
        span.seconds	{count} s
        story	Ce qui est arrivé à {row}
        story.across.after	A déplacé {row} de {from} vers {to}, après « {other} »
        story.across.top	A déplacé {row} de {from} vers {to}, tout en haut
        story.act	{action} : {row}
        story.actions	A donné d’autres actions à {row}
        story.add.after	A ajouté {row} après « {other} »
        story.add.top	A ajouté {row} en haut de {section}
        story.again	Est retenté
        story.back.after	A rappelé {row} après « {other} »
        story.back.top	A rappelé {row} en haut de {section}
        story.callOff	A annulé {action} : {row}
        story.claim	S’occupe de {row}
        story.claimNote	S’occupe de {row} : {note}
        story.clear	A vidé {field} de {row}
        story.close	A fermé {row}
        story.closeAll	A fermé toutes les lignes
        story.edit	A commencé à modifier le tableau
        story.editEnd	A fini de modifier le tableau
        story.fail	A échoué : {why}
        story.field	A mis {field} à « {value} »
        story.field.was	A mis {field} à « {value} », avant « {was} »
        story.finish	C’est fait
        story.forgotten	On ne le sait plus
        story.itemIn	A mis « {item} » dans {row}
        story.itemMove	A déplacé quelque chose dans {row}
        story.itemOut	A retiré « {item} » de {row}
        story.itemSet	A modifié « {item} » dans {row}
        story.keep	A gardé le titre de {row}
        story.kind	A fait de {row} : {kind}
        story.kinds	A modifié les sortes de lignes
        story.mark	A marqué {row}
        story.more	{count, plural, one {# autre chose} other {# autres choses}}
        story.move.after	A déplacé {row} après « {other} »
        story.move.top	A déplacé {row} en haut de {section}
        story.none	On n’en sait rien.
        story.open	A ouvert {row}
        story.openAll	A ouvert toutes les lignes
        story.other	Une modification
        story.pause	A suspendu {what}
        story.redo	A rétabli : {what}
        story.release	Le travail attend de nouveau
        story.remove	A retiré {row}
        story.rename	A renommé « {was} » en {row}
        story.renameAll	A renommé {row} en « {value} »
        story.rest	A échoué, sera retenté : {why}
        story.restored	A remis ce qui a été fait sur {row}
        story.resume	A repris {what}
        story.row	« {row} »
        story.rows	« {row} » et {more} de plus
        story.scroll	A fait défiler {row}
        story.section	A créé la section {section}
        story.sectionEnd	A retiré la section {section}
        story.sectionName	A nommé la section {section} « {value} »
        story.select	A choisi {row}
        story.set	A mis {field} de {row} à « {value} »
        story.set.was	A mis {field} de {row} à « {value} », avant « {was} »
        story.settings	A modifié les réglages
        story.sleep	A reporté {row}
        story.states	A donné un autre aspect à {row}
        story.swap	A échangé {row} et « {other} »
        story.swipe	A ouvert les actions de {row}
        story.swipeEnd	A fermé les actions de {row}
        story.take	{who} s’en est chargé
        story.unclaim	Ne s’occupe plus de {row}
        story.undo	A annulé : {what}
        story.unmark	A démarqué {row}
        story.wake	A réveillé {row}
        strip.first	Marque d’abord un élément de la bande : ← →.
        tooSmall	trop petit
        totals.nothing	Il n’y a rien à compter.
        totals.of	Totaux par {field}
        totals.titles	Totaux par titre
        tried.at	échoué {count} fois ({why}), à nouveau à {time} ({attempt} sur {most})
        tried.now	échoué {count} fois ({why}), à nouveau maintenant ({attempt} sur {most})
        undone	Annulé
        unknown.table	On n’en sait encore rien.
        until	jusqu’à {time}
        viewers	{count, plural, one {# personne} other {# personnes}} : {names}
        waiting.daemon	En attente du serveur …
        waiting.daemon.more	{name} apparaît ici dès qu’il répond.
        waiting.table	En attente de {name} …
        what.adding	ajout d’une ligne
        what.changing	changement de {row}
        what.claiming	prise en charge
        what.closing	fermeture de {row}
        what.closingAll	fermeture de toutes les lignes
        what.editMode	mode édition
        what.lifting	soulever {row}
        what.moving	déplacement de {rows}
        what.opening	ouverture de {row}
        what.openingAll	ouverture de toutes les lignes
        what.pause	suspendre
        what.puttingOff	report
        what.recalling	rappel de {row}
        what.redo	rétablir
        what.resume	reprendre
        what.scrolling	défilement de {row}
        what.selecting	choix de {row}
        what.several	{what}, {rows}
        what.undo	annuler
        yes	oui
        """#)
}

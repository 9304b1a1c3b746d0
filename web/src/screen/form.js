/**
 * The form of a row, to change it or to add one. It is sent as one command, with the version that was seen. What others
 * change meanwhile is shown beside what was typed, and nothing that was typed is lost (drafts.js).
 */
import {el, select, setText} from './dom.js';
import {draftOf, dropDraft, keepDraft, sendDraft} from './drafts.js';
import {refusalSaid, takenBy} from './says.js';
import {sheet} from './sheet.js';
import {word} from './words.js';

/** An answer that takes no longer is not worth a sentence. */
const SOON_MS = 1000;
/** A text of more letters has several lines. */
const SHORT = 40;
/** The key of the title, beside those of fields, which are texts. */
const TITLE = null;

const contentOf = ({title = '', kind, fields = {}}) => ({title, kind, fields: new Map(Object.entries(fields))});
const textOf = (content, key) => (key === TITLE ? content.title : content.fields.get(key)) ?? '';

/** The fields that a form asks for: the kind's `form`, or else what its rows show; then the row's own. */
function fieldsOf(kind, {fields}) {
  const hidden = new Set(kind?.show?.hide ?? []);
  const own = [...fields.keys()].filter((key) => !hidden.has(key)).sort();
  return [...new Set([...kind?.form ?? kind?.show?.detail ?? [], ...own, ...(kind?.form ? [] : ['note'])])];
}

/** Where a new row goes and what a draft is of: {heading, below, body} of `add`, or {row: id}. `goesOn`: the draft to go on with. */
class RowForm {
  constructor(board, about, goesOn = null) {
    this.board = board;
    this.about = about;
    this.key = goesOn?.key
      ?? (about.row === undefined ? `add ${about.body?.section ?? ''} ${about.body?.after ?? ''}` :
                                    `edit ${about.row}`);
    const draft = goesOn ?? draftOf(board.name, this.key);
    const row = board.table?.row(about.row);
    /** The values that were seen when the first letter was typed. A draft has them, so that a change meanwhile is noticed. */
    this.first = draft?.first ?? {...row ?? about.body, section: board.table?.sectionOf(row?.id ?? about.body?.after)};
    this.seen = contentOf(this.first);
    this.version = this.firstVersion = draft?.version ?? row?.version;
    this.typed = new Map(draft?.typed ?? []);
    this.kind = this.kinds.has(draft?.kind) ? draft.kind : this.seen.kind;
    this.section = draft?.section ?? about.body?.section;
    /** The texts that others gave a field that was also typed here, by its key. */
    this.others = new Map();
    this.inputs = new Map();
  }

  get isNew() { return this.about.row === undefined; }

  get kinds() { return this.board.table?.kinds ?? new Map(); }

  get name() { return this.typed.get(TITLE) || this.seen.title || this.about.row || ''; }

  /** Shows it. Gives the reply to what was sent, or null. */
  open() {
    const {heading = word('form.edit', {row: this.seen.title || this.about.row})} = this.about;
    const over = this.board.follow.onDiffs((changes) => this.changed(changes));
    const reset = this.board.follow.onReset(() => this.changed([]));
    return sheet(heading, (close, dialog) => this.fill(close, dialog)).finally(() => {
      over();
      reset();
    });
  }

  fill(close, dialog) {
    this.words = el('p', {role: 'status', hidden: true});
    this.fields = el('div', {class: 'fields'});
    this.submit =
      el('button', {class: 'answer main', type: 'submit', text: word(this.isNew ? 'form.add' : 'form.save')});
    this.away = el('button', {class: 'answer', text: word('cancel')});
    this.away.addEventListener('click', () => {
      this.isThrownAway = true;
      dropDraft(this.board.name, this.sent ?? this.key);
      close();
    });
    this.close = close;
    this.dialog = dialog;
    this.selects = el('div', {class: 'fields'});
    this.draw();
    this.changed([]);
    this.marked();
    const form = el('form', {}, this.fields, this.more(), this.selects, this.words,
      el('div', {class: 'answers'}, this.away, this.submit));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.send();
    });
    return [this.isNew && this.sectionsOf().length < 2 ? el('p', {text: this.about.below}) : null, form];
  }

  /** An input for each field that is asked for. Those that are there stay, with what was typed. */
  draw() {
    const names = [TITLE, ...fieldsOf(this.kinds.get(this.kind), this.seen), ...this.typed.keys()];
    const wanted = new Set(names);
    for (const key of wanted)
      if (!this.inputs.has(key)) this.inputs.set(key, this.input(key));
    for (const [key, {label}] of this.inputs) label.hidden = !wanted.has(key);
    // In the order of the kind that is chosen. What stands at its place stays in the document: somebody may be typing there.
    const {fields} = this, had = document.activeElement;
    [...wanted].forEach((key, at) => {
      const {label} = this.inputs.get(key);
      if (fields.children[at] !== label) fields.insertBefore(label, fields.children[at] ?? null);
    });
    if (fields.contains(had)) had.focus({preventScroll: true});
  }

  input(key) {
    const text = this.typed.get(key) ?? textOf(this.seen, key);
    const isLong = key === 'note' || text.length > SHORT || text.includes('\n');
    const isArea = isLong && key !== TITLE;
    const input = el(isArea ? 'textarea' : 'input', {
      type: isArea ? null : 'text',
      rows: isArea ? 2 : null,
      maxlength: key === TITLE ? 400 : 4000,
      autocomplete: 'off',
      autofocus: key === TITLE,
      dir: 'auto',
      enterkeyhint: 'done',
    });
    input.value = text;
    input.addEventListener('input', () => {
      if (input.value === textOf(this.seen, key)) this.typed.delete(key);
      else this.typed.set(key, input.value);
      this.keep();
    });
    const other = el('span', {class: 'other', hidden: true});
    const label = el('label', {class: isLong || key === TITLE ? 'field wide' : 'field'},
      key === TITLE ? word('form.title') : key, input, other);
    return {label, input, other};
  }

  /** A field that neither the kind nor the row has yet. */
  more() {
    const name = el('input', {type: 'text', maxlength: 100, autocomplete: 'off', autocapitalize: 'off', dir: 'auto'});
    const go = () => {
      const key = name.value.trim();
      if (!key) return;
      if (!this.typed.has(key)) this.typed.set(key, textOf(this.seen, key));
      this.draw();
      this.inputs.get(key).input.focus();
      name.value = '';
    };
    name.addEventListener('keydown', (event) => {
      // The Enter that ends a composition is not meant for the form. Safari tells it by its code alone.
      if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      go();
    });
    const add = el('button', {class: 'tool', text: word('form.addField'), click: go});
    return el('details', {}, el('summary', {text: word('form.another')}),
      el('div', {class: 'fields'}, el('label', {class: 'field'}, word('form.fieldName'), name), add));
  }

  sectionsOf() {
    const {table} = this.board;
    const all = (table?.sections ?? []).map(({id, title}) => [id, title || id]);
    const {section} = this;
    return section === undefined || all.some(([id]) => id === section) ? all : [...all, [section, section]];
  }

  kindsOf() {
    const isFit = ({id, strip, pinned}) => id === this.kind || (id !== 'row' && !strip && !pinned);
    return [...this.kinds.values()].filter(isFit).map(({id}) => [id, id]);
  }

  /** Where a new row goes, and the kind, where there is more than one. They are made anew only when others change them. */
  choices() {
    const sections = this.isNew ? this.sectionsOf() : [], kinds = this.kindsOf();
    const key = JSON.stringify([sections, this.section, kinds, this.kind]);
    if (key === this.chosen) return;
    this.chosen = key;
    const choose = (label, options, value, set) => {
      if (options.length < 2 || value === undefined) return '';
      const made = select(options, value, (id) => {
        set(id);
        this.chosen = JSON.stringify([sections, this.section, kinds, this.kind]);
        this.keep();
      });
      return el('label', {class: 'field'}, label, made);
    };
    const at = [...this.selects.querySelectorAll('select')].indexOf(document.activeElement);
    this.selects.replaceChildren(choose(word('section'), sections, this.section, (id) => {
      this.section = id;
    }), choose(word('form.kind'), kinds, this.kind, (id) => {
      this.kind = id;
      this.draw();
    }));
    if (at >= 0) this.selects.querySelectorAll('select')[at]?.focus({preventScroll: true});
  }

  /** Whether there is anything to send. */
  get isTouched() {
    return this.typed.size > 0 || this.kind !== this.seen.kind
      || (this.isNew && this.section !== this.about.body.section);
  }

  /** Keeps the draft, with what was seen first: whoever opens it again is shown all that others have changed since. */
  keep() {
    // The draft that is on its way is kept as it was sent.
    if (this.isSending) return;
    const {first: {id, title, kind, fields, section}, firstVersion: version, about} = this;
    if (this.isTouched) {
      keepDraft(this.board.name, this.key, {
        about,
        version,
        first: {id, title, kind, fields, section},
        typed: [...this.typed],
        kind: this.kind === this.seen.kind ? this.first.kind : this.kind,
        section: this.section,
        name: this.name,
      });
    } else dropDraft(this.board.name, this.key);
    this.marked();
  }

  /** What is on its way can not be thrown away any more. */
  marked() { setText(this.away, word(this.isSending ? 'close' : this.isTouched ? 'form.throwAway' : 'cancel')); }

  /** Others changed the row: what was not typed here follows; beside what was, theirs is shown. */
  changed(changes) {
    const row = this.isNew ? null : this.board.table?.row(this.about.row);
    const cause = changes.findLast((one) => one.rows.some(({id}) => id === this.about.row))?.cause;
    if (cause) this.who = cause.name;
    if (!this.fields || this.isSending) return;
    if (!row) {
      if (!this.isNew && this.board.table) this.gone(cause);
      this.choices();
      return;
    }
    setText(this.submit, word('form.save'));
    if (this.isGone) this.words.hidden = true;
    this.isGone = false;
    const now = contentOf(row), was = this.seen;
    if (row.version === this.version) {
      this.choices();
      return;
    }
    const who = this.who || word('who.somebody');
    if (!this.isTouched) {
      this.first = {...row, section: this.board.table.sectionOf(row.id)};
      this.firstVersion = row.version;
    }
    if (this.kind === was.kind) this.kind = now.kind;
    this.seen = now;
    this.version = row.version;
    this.draw();
    this.choices();
    for (const [key, {input, other}] of this.inputs) {
      const theirs = textOf(now, key);
      if (theirs === textOf(was, key)) continue;
      if (!this.typed.has(key) || this.typed.get(key) === theirs) {
        this.typed.delete(key);
        input.value = theirs;
        other.hidden = true;
        continue;
      }
      this.others.set(key, theirs);
      const take = () => {
        this.typed.delete(key);
        input.value = textOf(this.seen, key);
        other.hidden = true;
        this.keep();
      };
      other.replaceChildren(
        el('span', {text: theirs ? word('form.made', {who, text: theirs}) : word('form.cleared', {who})}),
        el('button', {class: 'tool', text: word('form.take'), click: take}));
      other.hidden = false;
    }
    if (this.others.size > 0) this.say(word('form.changed'));
    this.marked();
  }

  /** Others took the row away: it can be added again as it was, with what was typed. */
  gone(cause) {
    setText(this.submit, word('form.addAgain'));
    if (this.isGone) return;
    this.isGone = true;
    const why = cause ? takenBy(cause) : word('refusal.noSuchRow');
    this.say(this.isTouched ? `${why} ${word('form.still')}` : why);
  }

  say(sentence, name = '') {
    setText(this.words, sentence);
    this.words.className = name;
    this.words.hidden = false;
  }

  /** The section in which the row stood that this is about, if it is there still. */
  get there() {
    const isThere = this.board.table?.sections.some(({id}) => id === this.first.section);
    return isThere ? this.first.section : this.board.home;
  }

  /** The typed texts as a command; null: there is nothing to be done. */
  get command() {
    // A title that was not typed keeps its blanks.
    const title = this.typed.get(TITLE)?.trim() ?? this.seen.title;
    const fields = {}, unset = [];
    for (const [key, text] of this.typed) {
      if (key === TITLE) continue;
      const value = text.trim();
      if (value) Object.defineProperty(fields, key, {value, enumerable: true});
      else if (this.seen.fields.has(key)) unset.push(key);
    }
    const kind = this.kind === undefined ? {} : {kind: this.kind};
    if (this.isNew) {
      if (!title.trim()) return null;
      const {body} = this.about;
      // The row above it may have gone: then it goes to where that stood.
      const isBelow = body.after !== undefined && this.board.table?.row(body.after);
      const place = isBelow ? {after: body.after} : {section: this.section ?? this.there};
      return {add: {...place, ...kind, title, fields}};
    }
    if (!this.board.table?.row(this.about.row)) {
      const all = {...Object.fromEntries(this.seen.fields), ...fields};
      for (const key of unset) delete all[key];
      return {add: {section: this.there, ...kind, title, fields: all}};
    }
    const set = {row: this.about.row};
    if (title !== this.seen.title) set.title = title;
    if (this.kind !== this.seen.kind) set.kind = this.kind;
    if (Object.keys(fields).length > 0) set.fields = fields;
    if (unset.length > 0) set.unset = unset;
    return Object.keys(set).length > 1 ? {set, ifVersion: this.version} : null;
  }

  async send() {
    const {command, submit, board} = this;
    if (submit.disabled) return;
    if (!command) {
      if (!this.isNew) this.over();
      else {
        this.say(word('form.noTitle'), 'wrong');
        this.inputs.get(TITLE).input.focus();
      }
      return;
    }
    const free = (isFree) => {
      submit.disabled = !isFree;
      for (const {input} of this.inputs.values()) input.readOnly = !isFree;
      this.isSending = !isFree;
      this.marked();
    };
    const sent = this.sent = sendDraft(board.name, this.key, command);
    free(false);
    this.words.hidden = true;
    const late = setTimeout(() => this.say(word('form.late')), SOON_MS);
    const reply = await board.follow.send(command);
    clearTimeout(late);
    if (reply.ok) {
      dropDraft(board.name, sent);
      await board.shown(reply.revision);
      if (this.dialog.open) this.close(reply);
      else this.done(reply);
      return;
    }
    free(true);
    this.sent = null;
    this.unsent(sent);
    this.changed([]);
    if (!this.dialog.open) board.refused(reply.error);
    else {
      this.say(`${refusalSaid(reply.error)} ${word('form.still')}`, 'wrong');
      if (this.isNew || board.table?.row(this.about.row)) setText(submit, word('form.sendAgain'));
    }
  }

  /** It was refused: a draft again, in its own place, unless another was begun there meanwhile. */
  unsent(sent) {
    const {board: {name}, dialog, key} = this;
    const isTaken = draftOf(name, key) || document.querySelector('dialog.sheet[open]');
    if (!dialog.open && !this.isThrownAway && isTaken) return;
    dropDraft(name, sent);
    if (!this.isThrownAway) this.keep();
  }

  /** Says what was made, also after the form was closed, and how to take it back. */
  done(reply) {
    const {actions} = this.board;
    actions.undoable(word(this.isNew ? 'did.added' : 'did.changed'), this.name, reply);
    actions.landed(reply);
  }

  over() {
    dropDraft(this.board.name, this.key);
    this.close(null);
  }
}

/** Shows a form until it was sent, and goes to the row that was added. Gives the reply, or null. */
async function fillIn(board, about, draft) {
  const form = new RowForm(board, about, draft);
  const reply = await form.open();
  if (!reply) return null;
  const landed = reply.rows?.[0]?.row;
  if (landed !== undefined && landed !== about.row) board.keys.focusOn(landed, true);
  form.done(reply);
  return reply;
}

export function editRow(board, row) { return fillIn(board, {row: row.id}); }

/** Adds a row. `body`: of `add`, without what is typed. */
export function addRow(board, heading, below, body) { return fillIn(board, {heading, below, body}); }

/** Opens a draft again, unless it was sent or thrown away since it was offered. */
export function goOn(board, {key}) {
  const draft = draftOf(board.name, key);
  return draft && fillIn(board, draft.about, draft);
}

/** Whether a row has all that was typed already: its command was carried out, and its page had gone. */
export function isDone({about, typed = [], kind}, table) {
  const row = table?.row(about?.row);
  return Boolean(row) && row.kind === kind && typed.every(([key, text]) => textOf(contentOf(row), key) === text.trim());
}

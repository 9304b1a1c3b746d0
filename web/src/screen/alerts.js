/** New and late rows: a flash, and a sound where it is switched on. For this screen's sections only. */

export class Alerts {
  constructor(board) {
    this.board = board;
    this.context = null;
    this.last = 0;
    addEventListener('pointerdown', () => this.unlock(), {once: true, capture: true});
    addEventListener('keydown', () => this.unlock(), {once: true, capture: true});
  }

  /** Browsers let a page sound only after it was touched once. */
  unlock() {
    if (this.context || !this.board.settings.sounds) return;
    try {
      this.context = new AudioContext();
    } catch { /* this machine has no sound */
    }
  }

  changed(changes) {
    for (const changed of changes) {
      for (const one of changed.rows) {
        const came = one.after && (!one.before || (one.moved && one.from !== one.to));
        if (!came || this.board.mine(changed.cause) || !this.watches(one.to)) continue;
        this.flash(one.id, false);
        // It is new here, by a move too: the station before this one has passed it on.
        if (!one.before || !this.watches(one.from)) this.sound([880, 1174]);
      }
    }
  }

  /** Rows that have become late since the last look, also those out of sight. */
  look() {
    const {table} = this.board;
    const now = this.board.now();
    const last = this.lookedAt ?? now;
    this.lookedAt = now;
    for (const section of table?.sections ?? []) {
      if (!this.watches(section.id)) continue;
      for (const row of section.rows) {
        const due = (row.createdMs ?? now) + (table.kinds.get(row.kind)?.ages?.late ?? Infinity) * 1000;
        if (due > last && due <= now) this.late(row);
      }
    }
  }

  late(row) {
    this.flash(row.id, true);
    this.sound([660, 495, 660]);
    this.board.say(`${row.title || row.id} is late.`);
  }

  watches(section) { return this.board.settings.shows(section); }

  flash(id, late) {
    const view = this.board.viewOf(id);
    if (!view) return;
    const list = view.element.classList;
    list.remove('flash', 'is-late');
    void view.element.offsetWidth;
    list.add('flash');
    list.toggle('is-late', late);
    setTimeout(() => {
      if (view.id === id) list.remove('flash', 'is-late', 'comes');
    }, 3400);
  }

  /** Short tones, at most one melody in a second. */
  sound(tones) {
    if (!this.board.settings.sounds || performance.now() - this.last < 1000) return;
    this.unlock();
    if (!this.context || this.context.state === 'closed') return;
    this.last = performance.now();
    this.context.resume?.();
    const start = this.context.currentTime + 0.02;
    tones.forEach((tone, index) => {
      const source = this.context.createOscillator();
      const loud = this.context.createGain();
      const at = start + index * 0.16;
      source.frequency.value = tone;
      loud.gain.setValueAtTime(0.0001, at);
      loud.gain.exponentialRampToValueAtTime(0.3, at + 0.02);
      loud.gain.exponentialRampToValueAtTime(0.0001, at + 0.15);
      source.connect(loud).connect(this.context.destination);
      source.start(at);
      source.stop(at + 0.17);
    });
  }
}

/** The settings of this screen: by its address, and by its switches, which are kept here. */

const KEPT = ['sound', 'wet', 'roomy', 'dark'];

export class Settings {
  constructor(address = location) {
    const query = new URLSearchParams(address.search);
    const on = (name) => query.has(name) && !['0', 'false', 'no'].includes(query.get(name));
    this.sections = query.getAll('section').flatMap((one) => one.split(',')).filter(Boolean);
    this.kiosk = on('kiosk');
    this.columns = Math.min(Math.max(Number.parseInt(query.get('columns') ?? '0', 10) || 0, 0), 12);
    this.sound = this.kept('sound') ?? this.kiosk;
    this.wet = this.kept('wet') ?? false;
    this.roomy = this.kept('roomy') ?? false;
    this.dark = this.kept('dark') ?? matchMedia('(prefers-color-scheme: dark)').matches;
    this.themed = this.kept('dark') !== null;
    for (const name of ['wet', 'roomy'])
      if (query.has(name)) this[name] = on(name);
    if (query.has('dark')) {
      this.dark = on('dark');
      this.themed = true;
    }
    if (on('mute')) this.sound = false;
    this.wide = 0;
    this.apply();
  }

  kept(name) {
    try {
      const value = localStorage.getItem(`trestle.${name}`);
      return value === null ? null : value === '1';
    } catch {
      return null;
    }
  }

  flip(name) {
    if (!KEPT.includes(name)) return;
    this[name] = !this[name];
    if (name === 'dark') this.themed = true;
    try {
      localStorage.setItem(`trestle.${name}`, this[name] ? '1' : '0');
    } catch { /* it holds until the page is closed */
    }
    this.apply();
  }

  /** A wall is read from afar: very wide screens of large points are drawn larger. */
  measure(width) {
    this.wide = width;
    this.apply();
  }

  get scale() {
    const wall = this.wide >= 2400 ? 1.5 : 1;
    return wall * (this.roomy ? 1.25 : 1);
  }

  apply() {
    const root = document.documentElement;
    root.style.setProperty('--s', String(this.scale));
    root.classList.toggle('kiosk', this.kiosk);
    root.classList.toggle('wet', this.wet);
    if (this.themed) root.dataset.theme = this.dark ? 'dark' : 'light';
  }
}

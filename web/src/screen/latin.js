/**
 * Keyboards whose letters are not Latin: a key means what stands at its place on a Latin one, as `j` where it gives `ت`.
 * In a text it is its own letter.
 */
const PLACES = {
  Slash: ['/', '?'],
  Period: ['.'],
  BracketLeft: ['['],
  BracketRight: [']']
};

/** The key of a Latin keyboard that an event is of; null: its own key counts. */
export function latinOf({key, code = '', shiftKey = false}) {
  // Letters of Western languages are where they are on purpose. Some keys give two letters at once, as لا.
  if (!/^[^\0-\x7f]{1,2}$/u.test(key) || /\p{Script=Latin}/u.test(key)) return null;
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  if (letter) return shiftKey ? letter : letter.toLowerCase();
  const [, figure] = /^(?:Digit|Numpad)(\d)$/.exec(code) ?? [];
  if (figure) return /^\p{Nd}$/u.test(key) ? figure : null;
  return PLACES[code]?.[shiftKey ? 1 : 0] ?? null;
}

/** Lets a key count as the Latin one. It has to hear of the key before all others. */
export function readAsLatin(event) {
  // AltGr gives signs of their own, such as € and µ.
  if (event.target?.closest?.('input, textarea, select') || event.getModifierState?.('AltGraph')) return;
  const key = latinOf(event);
  if (key !== null) Object.defineProperty(event, 'key', {value: key});
}

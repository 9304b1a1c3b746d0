// The reasons for failed actions that Trestle's own programs give, as data (docs/PROTOCOL.md, "Reasons"). All others are
// the words of the program that failed, and stay as they are.

const NUMBER = /^\d{1,9}$/;

/** The text before the value of each, the value's name, the text after it, and what the value can be. */
const REASONS = {
  late: ['deadline: not finished within ', 'seconds', ' s', /^\d{1,9}(\.\d+)?$/],
  lost: ['handler ', 'who', ' was lost', /./s],
  unknown: ['it is not known how it ended'],
  unfinished: ['not finished when it was exported'],
  status: ['exit status ', 'status', '', NUMBER],
  signal: ['killed by signal ', 'signal', '', NUMBER],
};

/** A reason as {key, values}; null: it is the words of a program. */
export function ownReason(text) {
  for (const [key, [before, name, after, form]] of Object.entries(REASONS)) {
    if (name === undefined && text === before) return {key, values: {}};
    if (name === undefined || !text.startsWith(before) || !text.endsWith(after)) continue;
    const value = text.slice(before.length, text.length - after.length);
    if (form.test(value)) return {key, values: {[name]: value}};
  }
  return null;
}

// The reasons for failed actions that Trestle's own programs give, as data (docs/PROTOCOL.md, "Reasons"). All others are
// the words of the program that failed, and stay as they are.

/** The text before the value of each, the value's name, and the text after it. */
const REASONS = {
  late: ['deadline: not finished within ', 'seconds', ' s'],
  lost: ['handler ', 'who', ' was lost'],
  unknown: ['it is not known how it ended'],
  unfinished: ['not finished when it was exported'],
  status: ['exit status ', 'status', ''],
  signal: ['killed by signal ', 'signal', ''],
};

/** A reason as {key, values}; null: it is the words of a program. */
export function ownReason(text) {
  for (const [key, [before, name, after]] of Object.entries(REASONS)) {
    if (name === undefined && text === before) return {key, values: {}};
    if (name === undefined || !text.startsWith(before) || !text.endsWith(after)) continue;
    const value = text.slice(before.length, text.length - after.length);
    if (value) return {key, values: {[name]: value}};
  }
  return null;
}

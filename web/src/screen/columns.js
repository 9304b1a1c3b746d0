/** Sections side by side. What stands where depends on their order only, so nothing jumps as rows come. */

const LEAST = 310;

/** How many columns fit: no more than there are sections, none narrower than a phone. */
export function columnCount(width, sections, wanted) {
  const fit = Math.max(1, Math.floor(width / LEAST));
  return Math.max(1, Math.min(sections || 1, wanted ? Math.min(wanted, fit) : fit));
}

/** Sections in order, into columns. */
export function partition(ids, count) {
  const parts = Array.from({length: count}, () => []);
  ids.forEach((id, index) => parts[Math.floor((index * count) / ids.length)].push(id));
  return parts.filter((part) => part.length > 0);
}

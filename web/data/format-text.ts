/** Joins names as in a sentence: "a", "a and b", "a, b and c". */
export function joinNames(names: readonly string[], last = 'and'): string {
  if (names.length <= 1) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}

/** Returns a count with its noun: "1 project", "3 projects". */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const units = [
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns a duration in the largest unit that divides it: "30 days", "90 minutes". */
export function formatDuration(seconds: number): string {
  for (const [unit, size] of units) {
    if (seconds >= size && seconds % size === 0) return pluralize(seconds / size, unit);
  }
  return pluralize(seconds, 'second');
}

/**
 * Returns numbers of virtual clusters and spaces as text: "1 virtual cluster and 2 spaces". Pass `undefined` for an
 * unknown number. A number of 0 is omitted.
 */
export function instancesText(clusters: number | undefined, spaces: number | undefined): string {
  const part = (count: number | undefined, one: string) =>
    count === 0 ? [] : [count === undefined ? `the ${one}s` : pluralize(count, one)];
  return joinNames([...part(clusters, 'virtual cluster'), ...part(spaces, 'space')]);
}

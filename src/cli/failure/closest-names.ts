/** Maximum length of a name that is compared. Longer names are not typos. */
const maxLength = 100;
const maxSuggestions = 3;

/** Returns the names that differ from a mistyped name in few characters, the closest first. */
export function closestNames(typed: string, names: readonly string[]): string[] {
  const maxDistance = Math.max(1, Math.floor(typed.length / 3));
  return names
    .filter((name) => name.length <= maxLength && Math.abs(name.length - typed.length) <= maxDistance)
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}

/** Returns how many characters must be inserted, deleted, replaced or swapped with their neighbor. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}

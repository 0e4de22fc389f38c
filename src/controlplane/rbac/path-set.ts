/** A set of allowed paths, in which a trailing `*` matches any suffix. A lookup takes O(log n) comparisons. */
export class PathSet {
  readonly #exact = new Set<string>();
  #prefixes: string[] = [];
  #isSorted = true;

  add(path: string): void {
    this.#exact.add(path);
    if (!path.endsWith('*')) return;
    this.#prefixes.push(withoutStars(path));
    this.#isSorted = false;
  }

  /** True if an allowed path covers the given path, which may itself end with `*`. */
  covers(path: string): boolean {
    if (this.#exact.has(path)) return true;
    if (!this.#isSorted) this.#sort();
    const prefix = this.#lastPrefixUpTo(path);
    return prefix !== undefined && path.startsWith(prefix);
  }

  /**
   * Sorts the prefixes and removes each prefix that begins with another prefix. Then at most one prefix can match a
   * path, and it is the last prefix that is not greater than the path.
   */
  #sort(): void {
    const kept: string[] = [];
    for (const prefix of this.#prefixes.sort()) {
      const previous = kept.at(-1);
      if (previous === undefined || !prefix.startsWith(previous)) kept.push(prefix);
    }
    this.#prefixes = kept;
    this.#isSorted = true;
  }

  #lastPrefixUpTo(path: string): string | undefined {
    let [low, high] = [0, this.#prefixes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#prefixes[middle] as string) <= path) low = middle + 1;
      else high = middle;
    }
    return this.#prefixes[low - 1];
  }
}

/**
 * Removes all stars at the end. Does not use a regular expression, which would take quadratic time for many stars
 * before the end.
 */
export function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === '*') end--;
  return path.slice(0, end);
}

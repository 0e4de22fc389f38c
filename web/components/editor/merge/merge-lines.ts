/** A range of lines in the original text and the lines that replace it. */
interface LineChange {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** The maximum number of cells in the comparison matrix. Two texts that need more cells are not merged by lines. */
const maxCells = 4_000_000;

/**
 * Merges two edits of the same text line by line, which keeps comments and the order of lines. Returns `undefined` if
 * both edits change the same lines, or if the texts are too long.
 */
export function mergeLines(base: string, mine: string, theirs: string): string | undefined {
  const original = base.split('\n');
  const own = lineChanges(original, mine.split('\n'));
  const other = lineChanges(original, theirs.split('\n'));
  if (own === undefined || other === undefined) return undefined;
  const all = [...own, ...other].sort((a, b) => a.from - b.from || a.to - b.to);
  const merged: string[] = [];
  let at = 0;
  let before: LineChange | undefined;
  for (const change of all) {
    // Two changes that overlap or start at the same line cannot be merged. In the second case, their order would be
    // ambiguous.
    if (before !== undefined && (change.from < before.to || change.from === before.from)) return undefined;
    before = change;
    merged.push(...original.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  merged.push(...original.slice(at));
  return merged.join('\n');
}

/** Returns the smallest set of changes from one text to the other; `undefined` if the texts are too long. */
function lineChanges(from: readonly string[], to: readonly string[]): readonly LineChange[] | undefined {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const a = from.slice(start, from.length - end);
  const b = to.slice(start, to.length - end);
  if (a.length * b.length > maxCells) return undefined;

  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const commonAt = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j] ? commonAt(i + 1, j + 1) + 1 : Math.max(commonAt(i + 1, j), commonAt(i, j + 1));
    }
  }

  const changes: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
      continue;
    }
    const [fromI, fromJ] = [i, j];
    while ((i < a.length || j < b.length) && !(i < a.length && j < b.length && a[i] === b[j])) {
      if (j >= b.length || (i < a.length && commonAt(i + 1, j) >= commonAt(i, j + 1))) i++;
      else j++;
    }
    changes.push({ from: start + fromI, to: start + i, lines: b.slice(fromJ, j) });
  }
  return changes;
}

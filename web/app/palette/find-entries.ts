import type { IconName } from '../../components/icon.tsx';
import type { PermissionQuery } from '../../data/permissions.ts';

/** A line of the command palette: a page, an object or an action. */
export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  /** The kind and the place of the object, or the type of the entry. */
  readonly about: string;
  readonly icon: IconName;
  /** The permission that the action requires. The entry is hidden from users without this permission. Optional. */
  readonly permission?: PermissionQuery;
  run(): void;
}

/** A list of items that the palette searches. Entries are created only for the items that the palette shows. */
export interface PaletteSource {
  readonly count: number;
  /** True if the entries are offered before the user types. */
  readonly isInitial?: boolean;
  /** Returns the text of an item in lower case. The palette searches this text. */
  textAt(index: number): string;
  entryAt(index: number): PaletteEntry;
}

export function sourceOf<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  entryOf: (item: Item) => PaletteEntry,
): PaletteSource {
  const at = (index: number) => items[index] as Item;
  return {
    count: items.length,
    textAt: (index) => textOf(at(index)).toLowerCase(),
    entryAt: (index) => entryOf(at(index)),
  };
}

export interface FoundEntries {
  readonly entries: readonly PaletteEntry[];
  /** The number of all entries that match. */
  readonly total: number;
}

/** The number of ranks. A rank says how well an entry matches; 0 is the best. */
const ranks = 4;

/**
 * Returns at most `max` entries that contain all words of the query, best matches first. Best is a text that equals the
 * query, then a text that starts with the query, then a text in which every query word starts a word.
 */
export function findEntries(sources: readonly PaletteSource[], query: string, max: number): FoundEntries {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = words.join(' ');
  const found: (readonly [PaletteSource, number])[][] = Array.from({ length: ranks }, () => []);
  let total = 0;
  for (const source of sources) {
    if (words.length === 0 && source.isInitial !== true) continue;
    for (let index = 0; index < source.count; index += 1) {
      const rank = rankOf(source.textAt(index), text, words);
      if (rank === undefined) continue;
      total += 1;
      const bucket = found[rank];
      if (bucket !== undefined && bucket.length < max) bucket.push([source, index]);
    }
  }
  const best = found.flat().slice(0, max);
  return { entries: best.map(([source, index]) => source.entryAt(index)), total };
}

function rankOf(text: string, query: string, words: readonly string[]): number | undefined {
  if (!words.every((word) => text.includes(word))) return undefined;
  if (text === query || text.startsWith(`${query} `)) return 0;
  if (text.startsWith(query)) return 1;
  return words.every((word) => startsWord(text, word)) ? 2 : 3;
}

function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || ' -./@'.includes(text.charAt(at - 1))) return true;
  }
  return false;
}

import type { TemplateWork } from './template-work.ts';

/**
 * The maximum length of a text that the engine's own search finds in linear time. For longer ones it can compare every
 * character of both texts.
 */
const maxNativeLength = 200;

/** Returns the offset of the first occurrence from an offset on; -1 if there is none. */
export type TextSearch = (text: string, from: number) => number;

/** The units of work for a character of a longer text. */
const unitsPerCharacter = 4;

/**
 * Creates a search for a text that takes linear time for all texts. Charges its preparation; the caller charges the
 * texts that are searched.
 */
export function createTextSearch(work: TemplateWork, part: string): TextSearch {
  work.charge(part.length);
  if (part.length <= maxNativeLength) return (text, from) => text.indexOf(part, from);
  work.charge(part.length * unitsPerCharacter);
  const borders = bordersOf(part);
  return (text, from) => {
    let matched = 0;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
      if (part.charCodeAt(matched) === code) matched++;
      if (matched === part.length) return at + 1 - matched;
    }
    return -1;
  };
}

/**
 * Returns, for each prefix of a text, the length of its longest proper prefix that is also its suffix (the table of the
 * algorithm of Knuth, Morris and Pratt).
 */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const code = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}

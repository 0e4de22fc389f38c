import { KubectlError } from '../kubectl-error.ts';

/** A word of a command line and the position at which it starts. */
export interface Word {
  readonly text: string;
  readonly from: number;
}

/**
 * Characters that a shell would interpret. The page has no shell, so these characters are errors unless they are
 * quoted.
 */
const shellCharacters = /[|&;<>()`$*?]/;

/**
 * Splits a command line into words as a shell does, with quotes and backslashes. With `isPartial`, an unclosed quote is
 * not an error, because completion works on unfinished lines.
 */
export function splitWords(line: string, isPartial = false): readonly Word[] {
  const words: Word[] = [];
  let at = 0;
  while (at < line.length) {
    if (/\s/.test(line.charAt(at))) {
      at += 1;
      continue;
    }
    const from = at;
    let text = '';
    while (at < line.length && !/\s/.test(line.charAt(at))) {
      const piece = readPiece(line, at, isPartial);
      text += piece.text;
      at = piece.end;
    }
    words.push({ text, from });
  }
  return words;
}

function readPiece(line: string, at: number, isPartial: boolean): { readonly text: string; readonly end: number } {
  const character = line.charAt(at);
  if (character === "'" || character === '"') return readQuoted(line, at, isPartial);
  if (character === '\\') return { text: line.charAt(at + 1), end: at + 2 };
  if (shellCharacters.test(character) && !isPartial) {
    throw new KubectlError(
      `"${character}" has no meaning here, because there is no shell; put it in quotes to use it as it is`,
    );
  }
  return { text: character, end: at + 1 };
}

function readQuoted(line: string, from: number, isPartial: boolean): { readonly text: string; readonly end: number } {
  const quote = line.charAt(from);
  let text = '';
  for (let at = from + 1; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === quote) return { text, end: at + 1 };
    if (character === '\\' && quote === '"' && /["\\$`]/.test(line.charAt(at + 1))) {
      at += 1;
      text += line.charAt(at);
    } else text += character;
  }
  if (isPartial) return { text, end: line.length };
  throw new KubectlError(`the quote ${quote} is not closed`);
}

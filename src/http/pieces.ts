import { nextTurn } from '../lib/divided-work.ts';
import type { PiecedBody, Turn } from './exchange.ts';
import type { RequestEnd } from './request-end.ts';

/** A long text that is made of many others: what stands before, between, and behind them. */
export interface JoinedText {
  readonly head: string;
  readonly items: Iterable<string>;
  /** Absent: a comma. */
  readonly separator?: string;
  readonly tail: string;
}

/** Characters, and items, after which others have their turn: a millisecond or two, whatever an item costs. */
const pieceLength = 64 * 1024;
const pieceItems = 64;

/** Up to this an answer is made whole and tells its length; beyond it, it is worth packing as well (rule NEG-20). */
export const longestWhole = 128 * 1024;

/** The text as bytes, made as it is asked for: the whole of it is never there at once. */
export function* textPieces(joined: JoinedText): Generator<Uint8Array, undefined, undefined> {
  const { head, items, separator = ',', tail } = joined;
  let text = head;
  let count = 0;
  let isFirst = true;
  for (const item of items) {
    text += isFirst ? item : separator + item;
    isFirst = false;
    count++;
    if (text.length < pieceLength && count < pieceItems) continue;
    yield Buffer.from(text);
    text = '';
    count = 0;
  }
  yield Buffer.from(text + tail);
  return undefined;
}

/** A short answer whole; of a long one the beginning, and how to go on, as long as the request is not over. */
export async function bodyOf(
  pieces: Generator<Uint8Array, undefined, undefined>,
  end: RequestEnd,
  turn: Turn = nextTurn,
): Promise<Uint8Array | PiecedBody> {
  const begun: Uint8Array[] = [];
  let length = 0;
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    begun.push(next.value);
    length += next.value.byteLength;
    if (length > longestWhole) return { pieces: goingOn(begun, pieces, end) };
    await turn();
    throwIfOver(end);
  }
  return begun.length === 1 && begun[0] !== undefined ? begun[0] : Buffer.concat(begun, length);
}

function* goingOn(
  begun: Uint8Array[],
  rest: Generator<Uint8Array, undefined, undefined>,
  end: RequestEnd,
): Generator<Uint8Array, undefined, undefined> {
  for (let piece = begun.shift(); piece !== undefined; piece = begun.shift()) yield piece;
  for (const piece of rest) {
    throwIfOver(end);
    yield piece;
  }
  return undefined;
}

/** Who may no longer be here gets no more of it; an answer that breaks off is not taken for a whole one. */
function throwIfOver(end: RequestEnd): void {
  if (end.isOver) throw end.reason ?? new Error('the request is over');
}

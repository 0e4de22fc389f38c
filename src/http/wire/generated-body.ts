import { yieldToEventLoop } from '../../lib/work-budget.ts';
import type { GeneratedBody, NextTimeSlice } from '../reply.ts';
import type { RequestEnd } from '../request/request-end.ts';

/** A long text: a head, many items with a separator, and a tail. */
export interface JoinedText {
  readonly head: string;
  readonly items: Iterable<string>;
  /** Optional; defaults to a comma. */
  readonly separator?: string;
  readonly tail: string;
}

/** The length and item count after which the CPU is yielded: a millisecond or two, however expensive an item is. */
const pieceLength = 64 * 1024;
const pieceItems = 64;

/** Responses up to this size have a Content-Length. Longer ones are worth compressing as well (rule NEG-20). */
export const maxWholeBytes = 128 * 1024;

/** Generates the text as bytes, on demand, so that it is never in memory as a whole. */
export function* generateText(joined: JoinedText): Generator<Uint8Array, undefined, undefined> {
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

/** Returns a short body as bytes. A long body is generated while it is written, until the request ends. */
export async function wholeOrGenerated(
  pieces: Generator<Uint8Array, undefined, undefined>,
  end: RequestEnd,
  turn: NextTimeSlice = yieldToEventLoop,
): Promise<Uint8Array | GeneratedBody> {
  const firstPieces: Uint8Array[] = [];
  let length = 0;
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    firstPieces.push(next.value);
    length += next.value.byteLength;
    if (length > maxWholeBytes) return { pieces: remainingPieces(firstPieces, pieces, end) };
    await turn();
    throwIfEnded(end);
  }
  return firstPieces.length === 1 && firstPieces[0] !== undefined ? firstPieces[0] : Buffer.concat(firstPieces, length);
}

function* remainingPieces(
  firstPieces: Uint8Array[],
  rest: Generator<Uint8Array, undefined, undefined>,
  end: RequestEnd,
): Generator<Uint8Array, undefined, undefined> {
  for (let piece = firstPieces.shift(); piece !== undefined; piece = firstPieces.shift()) yield piece;
  for (const piece of rest) {
    throwIfEnded(end);
    yield piece;
  }
  return undefined;
}

/** Stops when the caller's access has ended. A client recognizes the truncated response as incomplete. */
function throwIfEnded(end: RequestEnd): void {
  if (end.hasEnded) throw end.reason ?? new Error('the request has ended');
}

import { yieldToEventLoop } from '../../lib/work-budget.ts';
import type { GeneratedBody, NextTimeSlice } from '../reply.ts';
import type { RequestEnd } from '../request/request-end.ts';

/** A long text that consists of a head, many separated items, and a tail. */
export interface JoinedText {
  readonly head: string;
  readonly items: Iterable<string>;
  /** The text between two items. Optional; defaults to a comma. */
  readonly separator?: string;
  readonly tail: string;
  /**
   * The total number of characters in the objects from which the items were made. Set if items may be much shorter than
   * their objects.
   */
  readonly read?: { characters: number };
}

/** Limits of one chunk in characters and items. Generating a chunk takes one or two milliseconds. */
const chunkLength = 64 * 1024;
const chunkItems = 64;
/**
 * The maximum number of characters in the objects that are read for one chunk. The cells of a Table may be short
 * although its objects are long.
 */
const chunkCharactersRead = 256 * 1024;

/**
 * Size limit of a body that is sent with Content-Length. A longer body is generated during the write and compressed
 * (rule NEG-20).
 */
export const maxBufferedBodyBytes = 128 * 1024;

/** Yields the text as chunks of bytes, on demand, so the whole text is never in memory. */
export function* generateText(joined: JoinedText): Generator<Uint8Array, undefined, undefined> {
  const { head, items, separator = ',', tail, read = { characters: 0 } } = joined;
  let text = head;
  let count = 0;
  let isFirst = true;
  for (const item of items) {
    text += isFirst ? item : separator + item;
    isFirst = false;
    count++;
    if (text.length < chunkLength && count < chunkItems && read.characters < chunkCharactersRead) continue;
    read.characters = 0;
    yield Buffer.from(text);
    text = '';
    count = 0;
  }
  yield Buffer.from(text + tail);
  return undefined;
}

/** Returns a short body as bytes, and a long body as a body that is generated during the write. */
export async function bufferOrGenerateBody(
  chunks: Generator<Uint8Array, undefined, undefined>,
  end: RequestEnd,
  nextTimeSlice: NextTimeSlice = yieldToEventLoop,
): Promise<Uint8Array | GeneratedBody> {
  const firstChunks: Uint8Array[] = [];
  let length = 0;
  for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
    firstChunks.push(next.value);
    length += next.value.byteLength;
    if (length > maxBufferedBodyBytes) return { chunks: remainingChunks(firstChunks, chunks, end) };
    await nextTimeSlice();
    throwIfEnded(end);
  }
  return firstChunks.length === 1 && firstChunks[0] !== undefined ? firstChunks[0] : Buffer.concat(firstChunks, length);
}

/**
 * Returns a long body as chunks. A worker thread sends the chunks one by one, so the main thread never copies all bytes
 * at once.
 */
export function inChunksIfLong(body: Uint8Array): Uint8Array | GeneratedBody {
  return body.byteLength > maxBufferedBodyBytes ? { chunks: chunksOf(body) } : body;
}

function* chunksOf(body: Uint8Array): Generator<Uint8Array, undefined, undefined> {
  for (let start = 0; start < body.byteLength; start += chunkLength) yield body.subarray(start, start + chunkLength);
  return undefined;
}

function* remainingChunks(
  firstChunks: Uint8Array[],
  rest: Generator<Uint8Array, undefined, undefined>,
  end: RequestEnd,
): Generator<Uint8Array, undefined, undefined> {
  for (let chunk = firstChunks.shift(); chunk !== undefined; chunk = firstChunks.shift()) yield chunk;
  for (const chunk of rest) {
    throwIfEnded(end);
    yield chunk;
  }
  return undefined;
}

/**
 * Throws if the request has ended, for example because the credential became invalid. The response is then truncated.
 */
export function throwIfEnded(end: RequestEnd): void {
  if (end.hasEnded) throw end.reason ?? new Error('the request has ended');
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { incomingRequest } from '../../../test/harness/exchange.ts';
import type { GeneratedBody } from '../reply.ts';
import { RequestEnd } from '../request/request-end.ts';
import { bufferOrGenerateBody, generateText, maxBufferedBodyBytes } from './generated-body.ts';
import { ManualFlushResponse } from './manual-flush-response.fixture.ts';
import { StalledReaderMonitor } from './stalled-reader-monitor.ts';
import { writeReply } from './write-reply.ts';

type SyncBody = { readonly chunks: Iterable<Uint8Array> };
const isGenerated = (body: Uint8Array | GeneratedBody): body is SyncBody => 'chunks' in body;
const bytesOf = (body: Uint8Array | GeneratedBody): Uint8Array =>
  isGenerated(body) ? Buffer.concat([...body.chunks]) : (body as Uint8Array);
const options = { stalledReaders: new StalledReaderMonitor(60_000), closing: false, isGone: () => false };

/** Items that count how many of them were generated. */
function counting(count: number, length: number) {
  const made = { count: 0 };
  function* items() {
    for (let at = 0; at < count; at++) {
      made.count++;
      yield `"${'x'.repeat(length)}"`;
    }
  }
  return { made, text: { head: '[', items: items(), tail: ']' } };
}

describe('a long text', () => {
  it('is the same in pieces and as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.nat(20_000))), async (given) => {
        const items = given.map(([text, more]) => JSON.stringify(text + 'é'.repeat(more)));
        const body = await bufferOrGenerateBody(generateText({ head: '{[', items, tail: ']}' }), new RequestEnd());
        expect(Buffer.from(bytesOf(body)).toString()).toBe(`{[${items.join(',')}]}`);
      }),
    );
  });

  it('is returned as a whole up to the compression threshold, whatever its parts are (NEG-20)', async () => {
    for (const [count, length] of [
      [5000, 20],
      [10, 12_000],
    ] as const) {
      const whole = await bufferOrGenerateBody(generateText(counting(count, length).text), new RequestEnd());
      expect(isGenerated(whole)).toBe(false);
      expect(bytesOf(whole).byteLength).toBeLessThanOrEqual(maxBufferedBodyBytes);
      expect(
        isGenerated(await bufferOrGenerateBody(generateText(counting(2 * count, length).text), new RequestEnd())),
      ).toBe(true);
    }
  });

  it('is made in small pieces if its items are made from large objects', () => {
    const read = { characters: 0 };
    function* items() {
      for (let at = 0; at < 4; at++) {
        read.characters += 200_000;
        yield '1';
      }
    }
    const pieces = [...generateText({ head: '[', items: items(), tail: ']', read })].map(String);
    expect(pieces).toEqual(['[1,1', ',1,1', ']']);
  });

  it('is no longer generated after its request has ended', async () => {
    const end = new RequestEnd();
    const { made, text } = counting(10_000, 1000);
    const body = await bufferOrGenerateBody(generateText(text), end);
    if (!isGenerated(body)) throw new Error('it is not long');
    const pieces = body.chunks[Symbol.iterator]();
    while (made.count < 500) pieces.next();
    end.end(new Error('the key is no more'));
    expect(() => pieces.next()).toThrow('the key is no more');
    expect(made.count).toBeLessThan(600);
  });

  it('is aborted before the reply when its deadline passes', async () => {
    const end = new RequestEnd();
    const { text } = counting(10_000, 10);
    const turn = async () => end.end(new Error('too late'));
    await expect(bufferOrGenerateBody(generateText(text), end, turn)).rejects.toThrow('too late');
  });

  it('yields the CPU between its pieces, however many there are', async () => {
    const { made, text } = counting(100_000, 100);
    const body = await bufferOrGenerateBody(generateText(text), new RequestEnd());
    let turns = 0;
    let most = 0;
    let last = made.count;
    let over = false;
    const others = (): void => {
      turns++;
      most = Math.max(most, made.count - last);
      last = made.count;
      if (!over) setImmediate(others);
    };
    setImmediate(others);
    const response = new ManualFlushResponse();
    const written = writeReply(
      incomingRequest({ httpVersion: '2' }),
      response,
      { status: 200, headers: {}, body },
      options,
    );
    await written;
    over = true;
    expect(made.count).toBe(100_000);
    expect(response.length).toBe(100_000 * 103 + 1);
    // In one tick, other work may run before or after a chunk. So at most two chunks of 64 items are generated before
    // the other work continues.
    expect(most).toBeLessThanOrEqual(2 * 64);
    expect(turns).toBeGreaterThanOrEqual(100_000 / (2 * 64));
  });

  it('is no longer generated after a disconnect', async () => {
    const { made, text } = counting(100_000, 100);
    const body = await bufferOrGenerateBody(generateText(text), new RequestEnd());
    const response = new ManualFlushResponse();
    await writeReply(
      incomingRequest({ httpVersion: '2' }),
      response,
      { status: 200, headers: {}, body },
      {
        ...options,
        isGone: () => response.chunkLengths.length >= 5,
      },
    );
    expect(response.chunkLengths).toHaveLength(5);
    expect(made.count).toBeLessThan(3000);
  });
});

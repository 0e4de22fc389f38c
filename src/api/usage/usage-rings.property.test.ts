import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addPeriods, addSubjects, amountFields, amountsFrom, noAmounts, type UsageAmounts } from './usage-amounts.ts';
import {
  addToSlot,
  type Chunk,
  chunkOfSlot,
  decodeChunk,
  encodeChunk,
  keptChunks,
  keptSlots,
  type Ring,
  rings,
  slotAt,
  startOfSlot,
} from './usage-rings.ts';

const amounts = fc
  .array(fc.integer({ min: 0, max: 1_000_000_000_000 }), {
    minLength: amountFields.length,
    maxLength: amountFields.length,
  })
  .map((numbers) => amountsFrom((field) => numbers[amountFields.indexOf(field)] ?? 0));
const now = Date.parse('2026-11-15T12:34:56Z');
const month = 31 * 24 * 3600 * 1000;
const additions = fc.array(fc.tuple(fc.integer({ min: -month, max: 0 }), amounts), { maxLength: 60 });

/** Stores additions as rows, and returns the slots that are kept at the time `now`. */
function storeAndReadKept(ring: Ring, added: readonly (readonly [number, UsageAmounts])[]) {
  const rows = new Map<number, string>();
  for (const [offset, amount] of added) {
    const slot = slotAt(ring, now + offset);
    const number = chunkOfSlot(ring, slot);
    const chunk = decodeChunk(ring, number, rows.get(number));
    addToSlot(chunk, slot, amount);
    rows.set(number, encodeChunk(ring, chunk));
  }
  const chunks = keptChunks(ring, now);
  const kept: Chunk = new Map(chunks.flatMap((number) => [...decodeChunk(ring, number, rows.get(number))]));
  return { rows, chunks, kept };
}

const sumOf = (all: Iterable<UsageAmounts>) => [...all].reduce(addPeriods, noAmounts);

describe.each(rings)('the ring of a $name', (ring) => {
  it('returns the sum of everything that was added in its period, and nothing else', () => {
    const first = startOfSlot(ring, slotAt(ring, now) - ring.slots + 1);
    fc.assert(
      fc.property(additions, (added) => {
        const { kept } = storeAndReadKept(ring, added);
        const slots = new Set(keptSlots(ring, now));
        const read = sumOf([...kept].filter(([slot]) => slots.has(slot)).map(([, amount]) => amount));
        const expected = sumOf(added.filter(([offset]) => now + offset >= first).map(([, amount]) => amount));
        expect(read).toEqual(expected);
      }),
    );
  });

  it('keeps a bounded number of rows of bounded length', () => {
    const most = Math.ceil(ring.slots / ring.slotsPerChunk) + 1;
    const full = amountsFrom(() => Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 * month }), (later) => {
        expect(keptChunks(ring, now + later).length).toBeLessThanOrEqual(most);
        expect(keptSlots(ring, now + later)).toHaveLength(ring.slots);
      }),
    );
    const chunk: Chunk = new Map(Array.from({ length: ring.slotsPerChunk }, (_, slot) => [slot, full]));
    expect(encodeChunk(ring, chunk).length).toBeLessThan(6300);
  });

  it('reads a damaged row as an empty one', () => {
    fc.assert(fc.property(fc.string(), (text) => void decodeChunk(ring, 1, text)));
    expect(decodeChunk(ring, 1, '[[1,"x"],[99,5],{}]').size).toBe(1);
    expect(decodeChunk(ring, 1, '{').size).toBe(0);
  });
});

it('the store keeps at most 28 rows per subject in both rings', () => {
  const counts = rings.map((ring) => Math.ceil(ring.slots / ring.slotsPerChunk) + 1);
  expect(counts.reduce((sum, count) => sum + count)).toBe(28);
});

it('the sum of subjects does not add their time', () => {
  fc.assert(
    fc.property(amounts, amounts, (one, other) => {
      const sum = addSubjects(one, other);
      expect(sum.seconds).toBe(Math.max(one.seconds, other.seconds));
      expect(sum.requests).toBe(one.requests + other.requests);
      expect(sum).toEqual(addSubjects(other, one));
    }),
  );
});

import { addPeriods, decodeAmounts, encodeAmounts, noAmounts, type UsageAmounts } from './usage-amounts.ts';

/**
 * A ring of slots of equal length. The number of a slot increases with time and is never reused. Consecutive slots are
 * stored together as a chunk. Each chunk is a row of its own, so a write replaces only a small row.
 */
export interface Ring {
  readonly name: 'day' | 'fortnight';
  readonly slotSeconds: number;
  /** The number of slots that are kept, including the current one. */
  readonly slots: number;
  readonly slotsPerChunk: number;
}

/** The last 24 hours in slots of five minutes: at most 13 chunks of two hours. */
export const dayRing: Ring = { name: 'day', slotSeconds: 300, slots: 288, slotsPerChunk: 24 };
/** The last 14 days in slots of an hour: at most 15 chunks of a day. */
export const fortnightRing: Ring = { name: 'fortnight', slotSeconds: 3600, slots: 336, slotsPerChunk: 24 };
export const rings: readonly Ring[] = [dayRing, fortnightRing];

/** The slots of one chunk by their number. Slots without samples are absent. */
export type Chunk = Map<number, UsageAmounts>;

/** Returns the number of the slot that contains this time, in milliseconds since the epoch. */
export function slotAt({ slotSeconds }: Ring, time: number): number {
  return Math.floor(time / 1000 / slotSeconds);
}

/** Returns the time at which a slot starts, in milliseconds since the epoch. */
export function startOfSlot({ slotSeconds }: Ring, slot: number): number {
  return slot * slotSeconds * 1000;
}

export function chunkOfSlot({ slotsPerChunk }: Ring, slot: number): number {
  return Math.floor(slot / slotsPerChunk);
}

/** Returns the slots that are kept at the time `now`, oldest first. */
export function keptSlots(ring: Ring, now: number): readonly number[] {
  const last = slotAt(ring, now);
  return Array.from({ length: ring.slots }, (_, index) => last - ring.slots + 1 + index);
}

/** Returns the chunks that contain the slots kept at the time `now`, oldest first. */
export function keptChunks(ring: Ring, now: number): readonly number[] {
  const last = slotAt(ring, now);
  const first = chunkOfSlot(ring, last - ring.slots + 1);
  return Array.from({ length: chunkOfSlot(ring, last) - first + 1 }, (_, index) => first + index);
}

/** Adds an amount to a slot of a chunk. */
export function addToSlot(chunk: Chunk, slot: number, amounts: UsageAmounts): void {
  chunk.set(slot, addPeriods(chunk.get(slot) ?? noAmounts, amounts));
}

/** Encodes a chunk as a list of slots. Each slot is a list of its index in the chunk and its amounts. */
export function encodeChunk(ring: Ring, chunk: Chunk): string {
  const slots = [...chunk].sort(([one], [other]) => one - other);
  return JSON.stringify(slots.map(([slot, amounts]) => [slot % ring.slotsPerChunk, ...encodeAmounts(amounts)]));
}

/**
 * Decodes a chunk. Returns an empty chunk for a text of an unknown format, because an error in usage data must not
 * cause requests to fail.
 */
export function decodeChunk(ring: Ring, chunk: number, text: string | undefined): Chunk {
  const decoded: Chunk = new Map();
  for (const entry of entriesOf(text)) {
    if (!Array.isArray(entry)) continue;
    const [position, ...numbers] = entry as readonly unknown[];
    if (typeof position !== 'number' || position < 0 || position >= ring.slotsPerChunk) continue;
    decoded.set(chunk * ring.slotsPerChunk + position, decodeAmounts(numbers));
  }
  return decoded;
}

function entriesOf(text: string | undefined): readonly unknown[] {
  try {
    const value: unknown = text === undefined ? [] : JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

import type { JsonObject } from '@flotilla/json';
import { WorkLimitError } from '@flotilla/work-meter';
import { expectNearlyLinearGrowth } from '@flotilla/work-meter/growth.fixture.ts';
import { describe, expect, it } from 'vitest';
import { mergeMeter } from './merge-meter.ts';
import type { MergeSchema } from './merge-schema.ts';
import { UnmergeablePatchError } from './patch-error.ts';
import { applyStrategicMerge, mergeMetered } from './strategic-merge.ts';

const tags: MergeSchema = { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' };
const kind = {
  kind: 'Thing',
  schema: {
    type: 'object',
    properties: {
      parts: {
        type: 'array',
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'name',
        items: { type: 'object', properties: { name: { type: 'string' }, tags } },
      },
    },
  } satisfies MergeSchema,
};

function repeat<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

/** Returns a document with one item that has a long list, and a patch that contains the key of this item many times. */
function repeatedKeys(bytes: number): { document: JsonObject; patch: JsonObject } {
  const document = { parts: [{ name: 'a', tags: repeat(bytes / 16, (index) => `tag-${index}`) }] };
  return { document, patch: { parts: repeat(bytes / 32, () => ({ name: 'a', tags: ['new'] })) } };
}

function workOf(document: JsonObject, patch: JsonObject): number {
  const meter = mergeMeter(document, patch);
  try {
    mergeMetered(kind, document, patch, meter);
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
  }
  return meter.used;
}

describe('the work of a strategic merge', () => {
  it('grows no faster than n log n if a patch repeats a merge key', async () => {
    await expectNearlyLinearGrowth((bytes) => {
      const { document, patch } = repeatedKeys(bytes);
      return workOf(document, patch);
    });
  });

  it('grows no faster than n log n if a patch merges and orders many items', async () => {
    await expectNearlyLinearGrowth((bytes) => {
      const items = repeat(bytes / 32, (index) => ({ name: `item-${index}`, tags: ['a', 'b'] }));
      const order = items.map(({ name }) => ({ name })).reverse();
      return workOf({ parts: items }, { parts: items.toReversed(), '$setElementOrder/parts': order });
    });
  });

  it('ends with an error that names the cause if a patch repeats a merge key for a long list', () => {
    const { document, patch } = repeatedKeys(3_000_000);
    const before = process.cpuUsage();
    expect(() => applyStrategicMerge(kind, document, patch)).toThrow(UnmergeablePatchError);
    const { user } = process.cpuUsage(before);
    // Without a limit, the merge takes minutes.
    expect(user / 1000).toBeLessThan(10_000);
    expect(() => applyStrategicMerge(kind, document, patch)).toThrow('too many list items with the same merge key');
  });

  it('merges, orders and deletes the items of lists of 3 MB', () => {
    const items = repeat(100_000, (index) => ({ name: `item-${index}` }));
    const reversed = items.toReversed();
    const ordered = applyStrategicMerge(
      kind,
      { parts: items },
      { '$setElementOrder/parts': reversed, parts: reversed },
    );
    expect(ordered).toEqual({ parts: reversed });
    const deleted = items.map((item) => ({ ...item, $patch: 'delete' }));
    expect(applyStrategicMerge(kind, { parts: items }, { parts: deleted })).toEqual({ parts: [] });
  });

  it('allows a small patch to repeat a merge key', () => {
    const patch = { parts: repeat(50, (index) => ({ name: 'a', tags: [`tag-${index}`] })) };
    expect(applyStrategicMerge(kind, { parts: [{ name: 'a', tags: [] }] }, patch)).toEqual({
      parts: [{ name: 'a', tags: expect.arrayContaining(['tag-0', 'tag-49']) }],
    });
  });
});

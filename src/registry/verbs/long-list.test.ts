import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../../api/selectors/label-selector.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { encodeRecord } from '../rows/record.ts';
import { objectRowKey, resourceKey } from '../rows/rows.ts';
import type { ServedList } from '../verbs.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  testDeleteOptions,
  testListOptions,
  testSlice,
  testWriteOptions,
  widgetResource,
} from '../widgets.fixture.ts';

const many = 3000;
const nameOf = (at: number) => `w-${String(at).padStart(5, '0')}`;
const names = ({ items }: ServedList) => items.map(({ object }) => object.metadata.name);

/** Opens many widgets, as at the start of a server: one in ten has the label `rare`. */
async function withMany() {
  const store = openMemoryStore();
  const writes = Array.from({ length: many }, (_, at) => {
    const metadata = { labels: { tier: at % 10 === 0 ? 'rare' : 'usual' }, annotations: { note: 'x'.repeat(3000) } };
    const object = newWidget(nameOf(at), {
      metadata: { ...metadata, namespace: 'a', uid: `u${at}` },
      spec: { color: 'red' },
    });
    const key = objectRowKey(testSlice, resourceKey(widgetResource), 'a', nameOf(at));
    return { key, value: encodeRecord(widgetResource, { object }) };
  });
  await store.transact({ writes });
  return openWidgets({}, { store });
}

/** Counts the event loop ticks in which other work can run, until the returned function is called. */
function others(onTick: (tick: number) => void = () => {}) {
  let ticks = 0;
  let next = setImmediate(function count() {
    onTick(++ticks);
    next = setImmediate(count);
  });
  return () => {
    clearImmediate(next);
    return ticks;
  };
}

const rare = { labelSelector: parseLabelSelector('tier=rare') };

describe('a list that checks very many objects', () => {
  it.each([
    ['labels', {}, rare],
    ['fields', {}, { fieldSelector: parseFieldSelector('spec.color=red') }],
    ['permissions', { mayRead: () => true }, {}],
  ] as const)('the list yields to other work many times, by %s', async (_, change, options) => {
    const { kind } = await withMany();
    const stop = others();
    const { items } = await kind.verbs.list(callerContext(change), testListOptions(options));
    const ticks = stop();
    expect(items).toHaveLength('labelSelector' in options ? many / 10 : many);
    expect(ticks).toBeGreaterThanOrEqual(4);
  });

  it('the list yields to other work more often if the selector is long, also if all labels are known', async () => {
    const { kind } = await withMany();
    await kind.verbs.list(callerContext(), testListOptions(rare));
    const long = Array.from({ length: 1_000 }, (_, at) => `tier!=other-${at}`).join(',');
    const stop = others();
    const { items } = await kind.verbs.list(
      callerContext(),
      testListOptions({ labelSelector: parseLabelSelector(long) }),
    );
    const ticks = stop();
    expect(items).toHaveLength(many);
    expect(ticks).toBeGreaterThanOrEqual(100);
  });

  it('the list shows one revision, despite concurrent writes (LIST-02)', async () => {
    const { kind } = await withMany();
    const before = (await kind.verbs.list(callerContext(), testListOptions({ limit: 1 }))).resourceVersion;
    const written: Promise<unknown>[] = [];
    const stop = others((tick) => {
      if (tick > 3) return;
      written.push(kind.verbs.delete(callerContext(), nameOf(many - 10 * tick), testDeleteOptions()));
      const metadata = { labels: { tier: 'rare' } };
      written.push(kind.verbs.create(callerContext(), newWidget(`w-9-${tick}`, { metadata }), testWriteOptions));
    });
    const list = await kind.verbs.list(callerContext(), testListOptions(rare));
    stop();
    await Promise.all(written);
    expect(written.length).toBeGreaterThan(2);
    expect(list.resourceVersion).toBe(before);
    expect(names(list)).toEqual(Array.from({ length: many / 10 }, (_, at) => nameOf(at * 10)));
  });

  it('pages are filled, and each continues after the previous one (LIST-24)', async () => {
    const { kind } = await withMany();
    const seen: unknown[] = [];
    let token = '';
    do {
      const page = await kind.verbs.list(callerContext(), testListOptions({ ...rare, limit: 70, continue: token }));
      seen.push(...names(page));
      expect(page.remainingItemCount).toBeUndefined();
      token = page.continue ?? '';
      if (token !== '') expect(page.items).toHaveLength(70);
    } while (token !== '');
    expect(seen).toEqual(Array.from({ length: many / 10 }, (_, at) => nameOf(at * 10)));
  });

  it('the list stops when the request is canceled', async () => {
    const { kind } = await withMany();
    const controller = new AbortController();
    let checked = 0;
    const mayRead = () => {
      checked++;
      return true;
    };
    const stop = others(() => controller.abort(new Error('gone')));
    await expect(
      kind.verbs.list(callerContext({ mayRead, signal: controller.signal }), testListOptions()),
    ).rejects.toThrow('gone');
    stop();
    expect(checked).toBeLessThan(many / 2);
  });
});

import { expect, it } from 'vitest';
import type { StoredRecord } from '../resource.ts';
import { callerContext, newWidget, openWidgets, testWriteOptions } from '../widgets.fixture.ts';

const bell = { slice: 'bells', segments: ['shard-00'] };

/** Returns the value of the bell after a widget of this color was created; `undefined` if it did not ring. */
async function ringOf(color: string): Promise<string | undefined> {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const colorOf = ({ object }: StoredRecord) => (object.spec as { color?: string } | undefined)?.color;
  const { kind, store } = await openWidgets(
    {
      needsReconcile: (record) => colorOf(record) === 'reconciled',
      expiresAt: (record) => {
        if (colorOf(record) === 'expires soon') return start + 9_000;
        return colorOf(record) === 'expires late' ? start + 60_000 : undefined;
      },
    },
    {
      planeCallbacks: {
        bell,
        namespaceState: () => 'active',
        resolveOwner: () => undefined,
      },
    },
  );
  await kind.verbs.create(callerContext(), newWidget('w', { spec: { color } }), testWriteOptions);
  return (await store.get(bell))?.value;
}

it('a write rings the bell if another process must act on it soon', async () => {
  expect(JSON.parse((await ringOf('reconciled')) ?? '')).toMatchObject({ reconcile: true, garbage: false });
  expect(JSON.parse((await ringOf('expires soon')) ?? '')).toMatchObject({ reconcile: false, garbage: false });
});

it('a write without urgent work does not ring the bell', async () => {
  expect(await ringOf('plain')).toBeUndefined();
  expect(await ringOf('expires late')).toBeUndefined();
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../store/embedded/embedded.ts';
import {
  callerContext,
  describeEvent,
  newWidget,
  openWidgets,
  takeEvents,
  testDeleteOptions,
  testGetOptions,
  testListOptions,
  testPatchOptions,
  testWatchOptions,
  testWriteOptions,
} from './widgets.fixture.ts';

/** The memory store responds at once. With the embedded store of this test, concurrent writers wait for a disk. */
describe('a kind over the embedded store', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-kind-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('concurrent writers succeed, and watches resume after a restart (PATCH-14, WATCH-33)', async () => {
    const store = await openEmbeddedStore({ directory });
    const { kind } = await openWidgets({}, { store });
    const created = await Promise.allSettled(
      Array.from({ length: 10 }, () => kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions)),
    );
    expect(created.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '2' }));
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const document = { metadata: { annotations: { [`n${index}`]: '1' } } };
        return kind.verbs.patch(callerContext(), 'w', { type: 'merge', document, findings: [] }, testPatchOptions);
      }),
    );
    const { object } = await kind.verbs.get(callerContext(), 'w', testGetOptions);
    expect(Object.keys(object.metadata.annotations ?? {})).toHaveLength(20);
    expect(await takeEvents(stream, 20)).toHaveLength(20);
    const before = await kind.verbs.list(callerContext(), testListOptions());
    kind.close();
    await store.close();

    const reopened = await openEmbeddedStore({ directory });
    const again = await openWidgets({}, { store: reopened });
    const after = await again.kind.verbs.list(callerContext(), testListOptions());
    expect(after.items.map((item) => item.json())).toEqual(before.items.map((item) => item.json()));
    expect(after.resourceVersion).toBe(before.resourceVersion);
    await again.kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    const resumed = await again.kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '20' }));
    expect((await takeEvents(resumed, 3)).map(describeEvent)).toEqual([
      'MODIFIED w@21',
      'MODIFIED w@22',
      'DELETED w@23',
    ]);
    await reopened.close();
  });
});

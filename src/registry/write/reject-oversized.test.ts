import { type JsonObject, listAt } from '@flotilla/json';
import { expect, it } from 'vitest';
import { tooMany } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { StoredResource } from '../resource.ts';
import type { Patch } from '../verbs.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  testPatchOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';

const partsOf = (object: KubeObject | undefined) => listAt(object as JsonObject | undefined, 'spec', 'parts').length;

/**
 * Opens a kind whose objects may have at most two parts. Counts the calls of `prepare`, which must not receive larger
 * objects.
 */
async function openLimited(stored?: KubeObject) {
  const largest = { parts: 0 };
  const limits: Partial<StoredResource> = {
    prepare({ object }) {
      largest.parts = Math.max(largest.parts, partsOf(object));
    },
  };
  const { kind: unlimited, store } = await openWidgets(limits);
  if (stored !== undefined) await unlimited.verbs.create(callerContext(), stored, testWriteOptions);
  largest.parts = 0;
  const { kind } = await openWidgets(
    {
      ...limits,
      sizeErrors: (object, old) =>
        partsOf(object) > Math.max(2, partsOf(old)) ? [tooMany('spec.parts', partsOf(object), 2)] : [],
    },
    { store },
  );
  return { kind, largest };
}

const parts = (count: number) => ({ spec: { parts: Array<string>(count).fill('x') } });
const refusal = { code: 422, message: expect.stringContaining('spec.parts: Too many: 3: must have at most 2 items') };

it('an object that is too large is rejected before the kind prepares it', async () => {
  const { kind, largest } = await openLimited();
  const { verbs } = kind;
  const context = callerContext();
  const patch = (name: string, sent: Patch) => verbs.patch(context, name, sent, testPatchOptions);
  expect(await rejectionStatus(verbs.create(context, newWidget('w', parts(3)), testWriteOptions))).toMatchObject(
    refusal,
  );
  expect(await rejectionStatus(patch('w', { type: 'apply', object: newWidget('w', parts(3)) }))).toMatchObject(refusal);
  const { object } = await verbs.create(context, newWidget('w', parts(2)), testWriteOptions);
  const { resourceVersion = '' } = object.metadata;
  const larger = newWidget('w', { metadata: { resourceVersion }, ...parts(3) });
  expect(await rejectionStatus(verbs.update(context, 'w', larger, testWriteOptions))).toMatchObject(refusal);
  for (const sent of [
    { type: 'merge', document: parts(3), findings: [] },
    { type: 'json', operations: [{ op: 'add', path: '/spec/parts/-', value: 'x' }], findings: [] },
    { type: 'apply', object: newWidget('w', parts(3)) },
  ] satisfies Patch[]) {
    expect(await rejectionStatus(patch('w', sent))).toMatchObject(refusal);
  }
  expect(largest.parts).toBe(2);
});

it('a stored object that is too large can be changed, unless it becomes larger', async () => {
  const { kind } = await openLimited(newWidget('w', parts(4)));
  const context = callerContext();
  const merge = (document: JsonObject) =>
    kind.verbs.patch(context, 'w', { type: 'merge', document, findings: [] }, testPatchOptions);
  await merge({ spec: { color: 'red' } });
  await merge(parts(3));
  expect((await rejectionStatus(merge(parts(4)))).code).toBe(422);
});

import { deepFreeze, type JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import type { StoredResource } from '../resource.ts';
import { callerContext, newWidget, openWidgets, testPatchOptions, testWriteOptions } from '../widgets.fixture.ts';

function setColor(object: KubeObject, part: 'spec' | 'status', color: string): void {
  const members = object[part] as JsonObject | undefined;
  if (members !== undefined) members.color = color;
}

const untouched: Partial<StoredResource> = {};
const hooked: Partial<StoredResource> = {
  prepare: ({ object }) => setColor(object, 'spec', 'prepared'),
  prepareStatus: ({ object }) => setColor(object, 'status', 'prepared'),
};

const frozen = (object: KubeObject): KubeObject => deepFreeze(object);

describe.each([
  ['a kind without hooks that change drafts', untouched, 'blue'],
  ['a kind with hooks that change drafts', hooked, 'prepared'],
])('%s', (_, change, color) => {
  it('a write does not change the objects that others hold', async () => {
    const { kind } = await openWidgets(change);
    const made = await kind.verbs.create(
      callerContext(),
      frozen(newWidget('a', { spec: { color: 'blue', size: 1 } })),
      testWriteOptions,
    );
    expect(made.object.spec).toMatchObject({ color, size: 1 });
    const { resourceVersion = '' } = made.object.metadata;
    const next = newWidget('a', {
      metadata: { resourceVersion, labels: { b: 'c', a: 'b' } },
      spec: { color: 'blue', size: 2 },
    });
    const updated = await kind.verbs.update(callerContext(), 'a', frozen(next), testWriteOptions);
    expect(updated.object.spec).toMatchObject({ color, size: 2 });
    const document = deepFreeze<JsonObject>({ spec: { size: 3 } });
    const patched = await kind.verbs.patch(
      callerContext(),
      'a',
      { type: 'merge', document, findings: [] },
      testPatchOptions,
    );
    expect(patched.object.spec).toMatchObject({ color, size: 3 });
    expect(updated.object.spec).toMatchObject({ color, size: 2 });
    // The next version shares members with the previous one and is encoded like any other version.
    expect(patched.json()).toBe(JSON.stringify(JSON.parse(patched.json())));
    expect(Object.keys(JSON.parse(patched.json()).metadata.labels)).toEqual(['a', 'b']);
    const status = await kind.status?.patch(
      callerContext(),
      'a',
      { type: 'merge', document: deepFreeze<JsonObject>({ status: { phase: 'Ready' } }), findings: [] },
      testPatchOptions,
    );
    expect(status?.object).toMatchObject({ spec: { color, size: 3 }, status: { phase: 'Ready' } });
  });
});

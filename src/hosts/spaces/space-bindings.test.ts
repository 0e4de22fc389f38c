import type { JsonObject } from '@flotilla/json';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { hostOwnerLabel } from '../../api/naming.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import { ensureSpaceBindings } from './space-bindings.ts';

const request = {
  namespace: 'space',
  owner: 'o',
  bindings: [{ clusterRole: 'view', groups: ['platform:user:anna'] }],
  isNew: false,
};

/** Calls `ensureSpaceBindings` for a namespace that contains this binding. Returns the patches that were sent. */
async function patchesOf(existing: KubeObject): Promise<JsonObject[]> {
  const patches: JsonObject[] = [];
  const resource = () => ({
    list: async () => ({ items: [] }),
    get: async () => existing,
    async patch(_key: unknown, patch: JsonObject) {
      patches.push(patch);
    },
  });
  await ensureSpaceBindings({ resource } as unknown as ApiClient, request, {});
  return patches;
}

/** Returns the binding that `ensureSpaceBindings` creates. */
async function createdBinding(): Promise<KubeObject> {
  const created: KubeObject[] = [];
  const resource = () => ({ create: async (object: KubeObject) => created.push(object) });
  await ensureSpaceBindings({ resource } as unknown as ApiClient, { ...request, isNew: true }, {});
  return created[0] as KubeObject;
}

it('a binding that is as it should be is not written', async () => {
  expect(await patchesOf(await createdBinding())).toEqual([]);
});

it('a binding without the label of its owner gets it again, so that it is removed with its role', async () => {
  const { metadata, ...binding } = await createdBinding();
  const patches = await patchesOf({ ...binding, metadata: { ...metadata, labels: {} } } as KubeObject);
  expect(patches).toMatchObject([{ metadata: { labels: { [hostOwnerLabel]: 'o' } } }]);
});

import type { JsonObject } from '@flotilla/json';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { replicasAnnotation } from '../../api/naming.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import { deploymentKind } from '../kubernetes/host-kinds.ts';
import { scaleDownSpace, scaleUpSpace } from './scale-space.ts';

type Scale = typeof scaleUpSpace;

/** Scales a space with one deployment. Returns the patch of the deployment; `undefined` if there was none. */
async function patchBy(scale: Scale, deployment: JsonObject): Promise<JsonObject | undefined> {
  let sent: JsonObject | undefined;
  const resource = ({ plural }: { plural: string }) => ({
    list: async () => ({ items: plural === deploymentKind.plural ? [deployment as unknown as KubeObject] : [] }),
    async patch(_key: unknown, patch: JsonObject) {
      sent = patch;
    },
  });
  await scale({ resource } as unknown as ApiClient, 'space', {});
  return sent;
}

/** Wakes a space with one sleeping deployment. `record` is the annotation with its previous replica count. */
function wakeWith(record: string): Promise<JsonObject | undefined> {
  const metadata = { name: 'web', annotations: { [replicasAnnotation]: record } };
  return patchBy(scaleUpSpace, { metadata, spec: { replicas: 0 } });
}

it('a workload is scaled to zero, and its replicas are recorded', async () => {
  const sent = await patchBy(scaleDownSpace, { metadata: { name: 'web' }, spec: { replicas: 3 } });
  expect(sent).toMatchObject({ metadata: { annotations: { [replicasAnnotation]: '3' } }, spec: { replicas: 0 } });
});

it('a workload without replicas, or of another workload, is not changed by sleep', async () => {
  expect(await patchBy(scaleDownSpace, { metadata: { name: 'web' }, spec: { replicas: 0 } })).toBeUndefined();
  const ownerReferences = [{ apiVersion: 'a/v1', kind: 'B', name: 'b', uid: 'u', controller: true }];
  const controlled = { metadata: { name: 'web', ownerReferences }, spec: { replicas: 3 } };
  expect(await patchBy(scaleDownSpace, controlled)).toBeUndefined();
});

it('a woken workload gets the recorded number of replicas', async () => {
  expect((await wakeWith('3'))?.spec).toEqual({ replicas: 3 });
});

it.each(['2147483648', '99999999999999999999', '-1', '0', '', 'NaN', 'Infinity'])(
  'a record that the host would reject is removed, so that a user cannot keep a space asleep: %j',
  async (record) => {
    const sent = await wakeWith(record);
    expect(sent).not.toHaveProperty('spec');
    expect(sent).toMatchObject({ metadata: { annotations: { [replicasAnnotation]: null } } });
  },
);

import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtInClusterName, storageGroup, storageVersion } from '../../src/api/naming.ts';
import { maintenanceSlice } from '../../src/registry/rows/rows.ts';
import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';
import { ApiCaller } from '../bad-days/api-caller.ts';
import { eventually } from '../bad-days/eventually.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';

const local = `/kubernetes/cluster/${builtInClusterName}`;
const apiVersion = `${storageGroup}/${storageVersion}`;
const virtualClusters = `/apis/${apiVersion}/namespaces/default/virtualclusters`;
const rounds = 4;
const workers = 8;

/** The last step of a virtual cluster that its worker requested or that the server acknowledged. */
type Progress = 'requested' | 'created' | 'written' | 'deletion requested' | 'deleted';

let flotilla: FlotillaProcess;
beforeEach(async () => {
  flotilla = await startFlotilla();
});
afterEach(() => flotilla.remove());

function inside(name: string): string {
  return `${virtualClusters}/${name}/proxy/api/v1/namespaces/default/configmaps`;
}

/** Creates virtual clusters, writes into each, and deletes two out of three, until the server no longer answers. */
async function workUntilGone(api: ApiCaller, worker: string, report: (name: string, progress: Progress) => void) {
  for (let count = 0; ; count++) {
    const name = `${worker}-${count}`;
    try {
      report(name, 'requested');
      await api.make(virtualClusters, { apiVersion, kind: 'VirtualCluster', metadata: { name } });
      report(name, 'created');
      await api.make(inside(name), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { name } });
      report(name, 'written');
      if (count % 3 === 2) continue;
      report(name, 'deletion requested');
      const { status, text } = await api.send('DELETE', `${virtualClusters}/${name}`);
      if (status !== 200) throw new Error(`DELETE ${name}: ${status} ${text}`);
      report(name, 'deleted');
    } catch (error) {
      // Rethrows an error response, which fails the test. Ends the loop without an error if the server no longer
      // answers, because the test has killed it.
      if (error instanceof Error && /: [1-5]\d\d /.test(error.message)) throw error;
      return;
    }
  }
}

it('a server that is killed while virtual clusters are created, used and removed loses none and leaves none partially', async () => {
  const progress = new Map<string, Progress>();
  for (let round = 0; round < rounds; round++) {
    const callers = await Promise.all(Array.from({ length: workers }, () => ApiCaller.of(flotilla, local)));
    let answers = 0;
    const killAt = 60 + 37 * round;
    let killed: Promise<unknown> | undefined;
    const report = (name: string, now: Progress) => {
      progress.set(name, now);
      if (++answers >= killAt) killed ??= flotilla.stop('SIGKILL');
    };
    await Promise.all(callers.map((caller, worker) => workUntilGone(caller, `r${round}w${worker}`, report)));
    await killed;
    await Promise.all(callers.map((caller) => caller.close()));
    flotilla = await flotilla.restart();
    await verify(progress);
  }
  expect([...progress.values()].filter((each) => each === 'deleted').length).toBeGreaterThan(20);
  expect(await planesLeft()).toEqual(await planesWanted());
}, 300_000);

/** Verifies each virtual cluster. Records whether a requested deletion took effect. */
async function verify(progress: Map<string, Progress>): Promise<void> {
  const api = await ApiCaller.of(flotilla, local);
  for (const [name, reached] of progress) {
    const look = () => api.send('GET', `${inside(name)}/kept`);
    if (reached === 'deleted') await eventually(30, look, ({ status }) => status === 404);
    else if (reached === 'written') expect(await look(), name).toMatchObject({ status: 200 });
    else if (reached === 'deletion requested') {
      const { status } = await eventually(30, look, (seen) => seen.status === 200 || seen.status === 404);
      progress.set(name, status === 200 ? 'written' : 'deleted');
    } else if (reached === 'created') {
      expect(await look(), name).toSatisfy(({ status }) => status === 200 || status === 404);
    }
  }
  await api.close();
}

async function planesWanted(): Promise<readonly string[]> {
  await flotilla.stop();
  flotilla = await flotilla.restart();
  const api = await ApiCaller.of(flotilla, local);
  const list = (await api.get(virtualClusters)) as { items: { metadata: { uid: string } }[] };
  await api.close();
  return list.items.map(({ metadata }) => `vc-${metadata.uid}`).sort();
}

/** Returns all planes with a row in their own slice or in the maintenance queue. */
async function planesLeft(): Promise<readonly string[]> {
  await flotilla.stop();
  const store = await openEmbeddedStore({ directory: join(flotilla.dataDirectory, 'store') });
  const found = new Set<string>();
  for await (const row of store.dump()) {
    if (row.row === 'slice') found.add(row.slice);
    if (row.row === 'entry') found.add(row.key.slice);
    if (row.row === 'entry' && row.key.slice === maintenanceSlice)
      for (const segment of row.key.segments) found.add(segment);
  }
  await store.close();
  return [...found].filter((name) => name.startsWith('vc-')).sort();
}

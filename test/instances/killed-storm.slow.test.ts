import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiCaller } from '../bad-days/api-caller.ts';
import { eventually } from '../bad-days/eventually.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { instancesOf, isConverged, takeInventory } from './inventory.ts';

const instances = instancesOf('default');
const rounds = 6;
const workers = 8;

let flotilla: FlotillaProcess;
beforeEach(async () => {
  flotilla = await startFlotilla();
});
afterEach(() => flotilla.remove());

/**
 * The acknowledged writes. If the server did not acknowledge the last write to an instance, the instance is in neither
 * set.
 */
interface Ledger {
  readonly made: Set<string>;
  readonly deleted: Set<string>;
}

/** Creates instances and deletes every second one, until the server no longer answers. */
async function storm(api: ApiCaller, worker: string, ledger: Ledger, answered: () => void): Promise<void> {
  for (let count = 0; ; count += 1) {
    const name = `${worker}-${count}`;
    try {
      await api.make(instances, { metadata: { name } });
      ledger.made.add(name);
      answered();
      if (count % 2 === 0) continue;
      // From here on, the instance may be deleted, even if the server does not acknowledge the delete request.
      ledger.made.delete(name);
      const { status, text } = await api.send('DELETE', `${instances}/${name}`);
      if (status !== 200) throw new Error(`DELETE ${name}: ${status} ${text}`);
      ledger.deleted.add(name);
      answered();
    } catch (error) {
      // Rethrows an error response, which fails the test. Ends the loop without an error if the server no longer
      // answers, because the test has killed it.
      if (error instanceof Error && /: [1-5]\d\d /.test(error.message)) throw error;
      return;
    }
  }
}

it('a server that is killed during a storm of creates and deletes completes all of them after its next start', async () => {
  const ledger: Ledger = { made: new Set(), deleted: new Set() };
  for (let round = 0; round < rounds; round += 1) {
    const api = await Promise.all(Array.from({ length: workers }, () => ApiCaller.of(flotilla)));
    const killAt = 40 + round * 23;
    let count = 0;
    let killed: Promise<unknown> | undefined;
    const answered = () => {
      count += 1;
      if (count >= killAt) killed ??= flotilla.stop('SIGKILL');
    };
    await Promise.all(api.map((each, worker) => storm(each, `r${round}w${worker}`, ledger, answered)));
    await killed;
    await Promise.all(api.map((each) => each.close()));
    flotilla = await flotilla.restart();
    const rest = await eventually(120, () => takeInventory(flotilla), isConverged);
    const names = new Set([...rest.instances.keys()].map((location) => location.slice(location.indexOf('/') + 1)));
    expect([...ledger.made].filter((name) => !names.has(name))).toEqual([]);
    expect([...ledger.deleted].filter((name) => names.has(name))).toEqual([]);
  }
  const api = await ApiCaller.of(flotilla);
  expect((await api.send('DELETE', instances)).status).toBe(200);
  await api.close();
  const empty = await eventually(
    120,
    () => takeInventory(flotilla),
    ({ instances: left }) => left.size === 0,
  );
  expect(empty).toMatchObject({ virtualClusters: [], namespaces: [] });
}, 600_000);

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { ManualClock } from '../../src/lib/clock.ts';
import { listAt, textAt, textsAt } from '../../src/lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json-value.ts';
import { isGone, isSettled, untilInstance } from '../../src/server/instances.fixture.ts';
import { ServerBench } from '../../src/server/server.fixture.ts';
import { Caller, eachOf } from './caller.ts';
import { furnish, keyFor, type Make, maker } from './furnish.ts';
import type { Persona } from './personas.ts';
import type { Pictures } from './requests.ts';
import { instances } from './world.ts';

/** A server with the world in it, and somebody to ask with. */
export interface Stage {
  readonly url: string;
  readonly ca: string;
  readonly clock: ManualClock;
  readonly caller: Caller;
  readonly adminKey: string;
  readonly make: Make;
  /** Another address to call from, over one connection: who fails to authenticate too often has to wait. */
  from(localAddress: string): Caller;
  /** Makes their keys. */
  keys(personas: readonly Persona[]): Promise<ReadonlyMap<Persona, string>>;
  pictures(): Promise<Pictures>;
  read(path: string, token?: string): Promise<JsonObject>;
  /** An instance that was deleted is held until nothing of it is left. */
  untilGone(project: string, name: string): Promise<void>;
  close(): Promise<void>;
}

export async function openStage(config?: string): Promise<Stage> {
  const bench = await ServerBench.open();
  const clock = new ManualClock(Date.now());
  const file = join(bench.root, 'settings.yaml');
  if (config !== undefined) await writeFile(file, config);
  const server = await bench.start({ store: 'memory', ...(config === undefined ? {} : { config: file }) }, clock);
  const ca = await bench.read('ca.crt');
  const adminKey = await bench.adminKey();
  const callers: Caller[] = [];
  const open = (options?: ConstructorParameters<typeof Caller>[2]) => {
    const caller = new Caller(server.url, ca, options);
    callers.push(caller);
    return caller;
  };
  const caller = open();
  const make = maker(caller, adminKey);
  await furnish(make);
  // From here on nobody but the callers changes anything.
  for (const { project, name } of instances) {
    await untilInstance(bench, server, { project, name }, isSettled);
    await until(async () => {
      const events = await read(`${root}/api/v1/namespaces/${projectNamespace(project)}/events`);
      return listAt(events, 'items').some((event) => nameOf(event).startsWith(`${name}.`));
    });
  }

  async function read(path: string, token = adminKey): Promise<JsonObject> {
    const { code, text } = await caller.send(token, { method: 'GET', path });
    if (code !== 200) throw new Error(`GET ${path}: ${code} ${text}`);
    return JSON.parse(text) as JsonObject;
  }

  return {
    url: server.url,
    ca,
    clock,
    caller,
    adminKey,
    make,
    from: (localAddress) => open({ localAddress, connections: 1 }),
    read,
    async untilGone(project, name) {
      await untilInstance(bench, server, { project, name }, isGone);
    },
    async keys(personas) {
      const made = new Map<Persona, string>();
      await eachOf(personas, async (persona) => void made.set(persona, await keyFor(make, persona)));
      return made;
    },
    pictures: () => takePictures(read),
    async close() {
      await Promise.all(callers.map((each) => each.close()));
      await bench.close();
    },
  };
}

const root = '/kubernetes/management';

/** Events are written behind what they tell of. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) if (await holds()) return;
  throw new Error('it did not come');
}

/** Every object that there is, by its path. Owned keys are the access keys under another kind. */
async function takePictures(read: Stage['read']): Promise<Pictures> {
  const pictures = new Map<string, JsonObject>();
  const groups = ['/api/v1', '/apis/events.k8s.io/v1', '/apis/coordination.k8s.io/v1', `/apis/${managementGroup}/v1`];
  for (const version of groups) {
    const resources = listAt(await read(`${root}${version}`), 'resources');
    for (const resource of resources) {
      const plural = textAt(resource, 'name');
      if (plural.includes('/') || !textsAt(resource, 'verbs').includes('list')) continue;
      const items = listAt(await read(`${root}${version}/${plural}`), 'items');
      for (const item of items)
        pictures.set(`${root}${version}${placeOf(item)}/${plural}/${nameOf(item)}`, item as JsonObject);
    }
  }
  for (const [path, picture] of [...pictures]) {
    const owned = path.replace('/accesskeys/', '/ownedaccesskeys/');
    if (owned !== path) pictures.set(owned, { ...picture, kind: 'OwnedAccessKey' });
  }
  return pictures;
}

const nameOf = (item: JsonValue) => textAt(item, 'metadata', 'name');

function placeOf(item: JsonValue): string {
  const namespace = textAt(item, 'metadata', 'namespace');
  return namespace === '' ? '' : `/namespaces/${namespace}`;
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, listAt, textAt, textsAt } from '@flotilla/json';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { ManualClock } from '../../src/lib/clock.ts';
import { isGone, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import { Caller, eachOf } from './caller.ts';
import { createFixture, keyFor, type Make, objectCreator } from './create-fixture.ts';
import type { Persona } from './personas.ts';
import type { ObjectSnapshots } from './requests.ts';
import { instances, spaces } from './world.ts';

/** A server with the fixture objects, and clients for it. */
export interface AuthzTestEnv {
  readonly url: string;
  readonly ca: string;
  readonly clock: ManualClock;
  readonly caller: Caller;
  readonly adminKey: string;
  readonly make: Make;
  /**
   * Returns a client with the given source address and one connection. A source address with too many failed
   * authentications has to wait.
   */
  from(localAddress: string): Caller;
  /** Creates the keys of the personas. */
  keys(personas: readonly Persona[]): Promise<ReadonlyMap<Persona, string>>;
  snapshots(): Promise<ObjectSnapshots>;
  read(path: string, token?: string): Promise<JsonObject>;
  /** Waits until a deleted instance is gone: the instance remains until its resources are deleted. */
  untilGone(project: string, name: string): Promise<void>;
  close(): Promise<void>;
}

export async function openAuthzTestEnv(config?: string): Promise<AuthzTestEnv> {
  const bench = await ServerTestEnv.open();
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
  const make = objectCreator(caller, adminKey);
  await createFixture(make);
  // From here on, only the callers make changes.
  const placed = [
    ...instances.map((instance) => ({ ...instance, plural: 'virtualclusterinstances' })),
    ...spaces.map((space) => ({ ...space, plural: 'spaceinstances' })),
  ];
  for (const { project, name, plural } of placed) {
    await waitForInstance(bench, server, { project, name, plural }, isReconciled);
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
      await waitForInstance(bench, server, { project, name }, isGone);
    },
    async keys(personas) {
      const made = new Map<Persona, string>();
      await eachOf(personas, async (persona) => void made.set(persona, await keyFor(make, persona)));
      return made;
    },
    snapshots: () => takeSnapshots(read),
    async close() {
      await Promise.all(callers.map((each) => each.close()));
      await bench.close();
    },
  };
}

const root = '/kubernetes/management';

/** Polls until the condition is true, because events are written after the changes that they report. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) if (await holds()) return;
  throw new Error('the condition did not become true in time');
}

/** Every existing object, by its path. Each access key is included twice: also under the kind `OwnedAccessKey`. */
async function takeSnapshots(read: AuthzTestEnv['read']): Promise<ObjectSnapshots> {
  const snapshots = new Map<string, JsonObject>();
  const groups = ['/api/v1', '/apis/events.k8s.io/v1', '/apis/coordination.k8s.io/v1', `/apis/${managementGroup}/v1`];
  for (const version of groups) {
    const resources = listAt(await read(`${root}${version}`), 'resources');
    for (const resource of resources) {
      const plural = textAt(resource, 'name');
      if (plural.includes('/') || !textsAt(resource, 'verbs').includes('list')) continue;
      const items = listAt(await read(`${root}${version}/${plural}`), 'items');
      for (const item of items)
        snapshots.set(`${root}${version}${placeOf(item)}/${plural}/${nameOf(item)}`, item as JsonObject);
    }
  }
  for (const [path, picture] of [...snapshots]) {
    const owned = path.replace('/accesskeys/', '/ownedaccesskeys/');
    if (owned !== path) snapshots.set(owned, { ...picture, kind: 'OwnedAccessKey' });
  }
  return snapshots;
}

const nameOf = (item: JsonValue) => textAt(item, 'metadata', 'name');

function placeOf(item: JsonValue): string {
  const namespace = textAt(item, 'metadata', 'namespace');
  return namespace === '' ? '' : `/namespaces/${namespace}`;
}

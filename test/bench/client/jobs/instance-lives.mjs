import { setTimeout as sleep } from 'node:timers/promises';
import { closeClients, openClients } from '../api-client.mjs';
import { collectionOf } from '../collection.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';
import { keepWatching } from '../watcher.mjs';

const media = { contentType: 'application/json' };
const nameOf = (number) => `life-${String(number).padStart(6, '0')}`;

/** The state to wait for with a watch, by verb. */
const outcomes = {
  create: {
    ask(client, { path, apiVersion, kind }, number) {
      const object = { apiVersion, kind, metadata: { name: nameOf(number) } };
      return client.send(201, 'POST', path, { body: Buffer.from(JSON.stringify(object)), media });
    },
    isGranted: ({ type, object }) => type !== 'DELETED' && object.status?.phase === 'Ready',
  },
  delete: {
    ask: (client, { path }, number) => client.send(200, 'DELETE', `${path}/${nameOf(number)}`),
    isGranted: ({ type }) => type === 'DELETED',
  },
};

/**
 * Creates or deletes instances of a kind. The time of an instance ends when a watch shows it Ready, or gone. With
 * `inTurn`, each client waits for this before its next request; otherwise it sends all requests at once.
 */
export async function instanceLives(target, { verb, kind, project, calls, clients: count, inTurn }) {
  const { ask, isGranted } = outcomes[verb];
  const namespace = `${target.projectNamespacePrefix}${project}`;
  const plural = `${kind.toLowerCase()}s`;
  const collection = collectionOf({ ...target, api: target.management, plural }, namespace);
  const clients = await openClients(target, count + 1);
  const watching = clients.pop();
  const begun = new Map();
  const times = [];
  const granted = new Map();
  const watch = keepWatching(collection, watching, (line, now) => {
    const event = JSON.parse(line);
    const name = event.object?.metadata?.name;
    if (!begun.has(name) || !isGranted(event)) return;
    times.push(now - begun.get(name));
    begun.delete(name);
    granted.get(name)?.();
    granted.delete(name);
  });
  await watch.open(await collection.revision(watching));
  const place = { path: collection.path, apiVersion: target.apiVersion, kind };
  const act = async (client, number) => {
    const name = nameOf(number);
    begun.set(name, performance.now());
    const outcome = inTurn ? new Promise((resolve) => granted.set(name, resolve)) : undefined;
    await ask(client, place, number);
    await outcome;
  };
  const taken = await measured(target, async () => {
    await spread(clients, { count: calls }, act);
    while (begun.size > 0) {
      watch.failIfBroken();
      await sleep(5);
    }
  });
  watch.close();
  closeClients([...clients, watching]);
  return figuresOf(taken, times.length, times);
}

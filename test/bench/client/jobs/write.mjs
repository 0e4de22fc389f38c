import { closeClients, openClients, retriesSince } from '../api-client.mjs';
import { collectionOf } from '../collection.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';

const verbs = {
  create: (collection, client, number) => collection.create(client, number),
  merge: (collection, client, number) => collection.merge(client, number, `merged ${number}`),
  apply: (collection, client, number) => collection.apply(client, number, `applied ${number}`),
  delete: (collection, client, number) => collection.remove(client, number),
};

/** Writes to each of a number of objects once, from several clients at a time. */
export async function write(target, { verb, namespace, prefix, clients: count, first = 0, objects, seconds }) {
  const collection = collectionOf(target, namespace, prefix);
  const clients = await openClients(target, count);
  // Sends a first request on each connection, because this request has one-time costs.
  await Promise.all(clients.map((each) => collection.revision(each)));
  const refusedBefore = retriesSince();
  const act = (client, number) => verbs[verb](collection, client, first + number);
  const taken = await measured(target, () => spread(clients, { count: objects, seconds }, act));
  closeClients(clients);
  const refused = retriesSince(refusedBefore);
  const { databaseGrowth, result: times } = taken;
  return {
    ...figuresOf(taken, times.length, times),
    ...(databaseGrowth === undefined ? {} : { disk: databaseGrowth / times.length / 1000 }),
    ...(refused > 0 ? { refused } : {}),
  };
}

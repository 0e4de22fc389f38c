import { closeClients, openClients } from '../api-client.mjs';
import { collectionOf } from '../collection.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';

/** Gets objects. The requests use the tokens in turn, and all requests have the same query. */
export async function read(target, { namespace, prefix, clients: count, objects, calls, seconds, tokens, query }) {
  const collection = collectionOf(target, namespace, prefix);
  const clients = await openClients(target, count);
  await Promise.all(clients.map((each) => collection.revision(each)));
  const authorizations = tokens.map((token) => `Bearer ${token}`);
  const act = (client, number) =>
    collection.get(client, (number * 7) % objects, authorizations[number % authorizations.length], query);
  const taken = await measured(target, () => spread(clients, { count: calls, seconds }, act));
  closeClients(clients);
  return figuresOf(taken, taken.result.length, taken.result);
}

import { mebibytes } from '../../figures.mjs';
import { rareLabel } from '../../instance.mjs';
import { closeClients, openClients } from '../api-client.mjs';
import { collectionOf } from '../collection.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** The forms of a list request. Each function returns the number of received bytes. */
const forms = {
  whole: async (collection, client) => (await collection.list(client)).body.length,
  cached: async (collection, client) => (await collection.list(client, '?resourceVersion=0')).body.length,
  gzip: async (collection, client) => (await collection.list(client, '', { encoding: 'gzip' })).body.length,
  table: async (collection, client) => (await collection.list(client, '', { accept: table })).body.length,
  label: async (collection, client) =>
    (await collection.list(client, `?labelSelector=${encodeURIComponent(rareLabel)}`)).body.length,
  async pages(collection, client) {
    let bytes = 0;
    let next = '';
    do {
      const { body } = await collection.list(client, `?limit=500${next && `&continue=${encodeURIComponent(next)}`}`);
      bytes += body.length;
      next = continueOf(body);
    } while (next !== '');
    return bytes;
  },
};

/** Finds the continue token without parsing the whole page: the list's metadata precede or follow its items. */
function continueOf(body) {
  const ends = [body.subarray(0, 2000), body.subarray(-2000)];
  for (const end of ends) {
    const found = /"continue":"([^"]+)"/.exec(end.toString('latin1'));
    if (found !== null) return found[1];
  }
  return '';
}

/**
 * Sends lists one after the other. Measures latency, objects per second, and how much the server grows in this time.
 */
export async function list(target, { form, namespace, prefix, objects, repeats, seconds }) {
  const collection = collectionOf(target, namespace, prefix);
  const clients = await openClients(target, 1);
  await collection.revision(clients[0]);
  await checkCount(collection, clients[0], objects);
  let bytes = 0;
  const taken = await measured(target, () =>
    spread(clients, { count: repeats, seconds }, async (client) => {
      bytes = await forms[form](collection, client);
    }),
  );
  closeClients(clients);
  const { rate, ...figures } = figuresOf(taken, taken.result.length, taken.result);
  return { ...figures, rate: rate * objects, growth: mebibytes(taken.growthBytes), answer: mebibytes(bytes) };
}

/** Verifies the number of objects: an incomplete list would be fast for the wrong reason. */
async function checkCount(collection, client, objects) {
  const { body } = await collection.list(client, '?limit=1');
  const { metadata, items } = JSON.parse(body);
  const count = items.length + (metadata.remainingItemCount ?? 0);
  if (count !== objects) throw new Error(`${count} objects instead of ${objects}`);
}

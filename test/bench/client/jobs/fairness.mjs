import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { percentile } from '../../figures.mjs';
import { closeClients, openClients } from '../api-client.mjs';
import { collectionOf } from '../collection.mjs';
import { measured } from '../measured.mjs';

const verbs = {
  create: (collection, client, number) => collection.create(client, number),
  get: (collection, client, number, objects) => collection.get(client, (number * 7) % objects),
  list: (collection, client) => collection.list(client),
};

/**
 * Sends requests with one key one by one, first alone and then while another key sends as many as it can. Returns the
 * latencies of the first key by verb, and the rate of the other key.
 */
export async function fairness(target, { verb, clients: count, objects, seconds, tokens, ...places }) {
  const { namespace, ownNamespace, prefix } = places;
  const [quietToken, busyToken] = tokens;
  const probe = new Worker(new URL('../probe.mjs', import.meta.url), {
    workerData: { target: { ...target, authorization: `Bearer ${quietToken}` }, namespace: ownNamespace, prefix },
  });
  const probed = async () => {
    probe.postMessage({ seconds });
    const [times] = await once(probe, 'message');
    return times;
  };
  const collection = collectionOf(target, namespace, verb === 'create' ? prefix : undefined);
  /**
   * Runs a function under load. Returns its result, and the number of load requests in this time. Load requests that
   * are still in flight at the end are canceled: full lists would take long to arrive, and their contents do not
   * matter.
   */
  const underLoad = async (run) => {
    const busy = await openClients({ ...target, authorization: `Bearer ${busyToken}` }, count);
    let over = false;
    let done = 0;
    const work = async (client) => {
      while (!over) {
        await verbs[verb](collection, client, begun++, objects);
        done++;
      }
    };
    const running = async () => ({ result: await run(), done });
    try {
      return await Promise.race([running(), ...busy.map(work)]);
    } finally {
      over = true;
      closeClients(busy);
    }
  };
  let begun = 0;
  try {
    // Warms up, so the server has compiled the code for the requests of both keys before the measurement.
    await underLoad(probed);
    const quiet = await probed();
    const loaded = await underLoad(() => measured(target, probed));
    const { result, seconds: taken, disturbed } = loaded.result;
    return Object.fromEntries(
      Object.entries(result).map(([name, times]) => [
        name,
        { ...compared(quiet[name], times), rate: loaded.done / taken, disturbed },
      ]),
    );
  } finally {
    await probe.terminate();
  }
}

function compared(quiet, loaded) {
  const [before, during] = [quiet, loaded].map((times) => Float64Array.from(times).sort());
  const quietP99 = percentile(before, 0.99);
  const loadedP99 = percentile(during, 0.99);
  return {
    count: during.length,
    quietP50: percentile(before, 0.5),
    quietP99,
    loadedP50: percentile(during, 0.5),
    loadedP99,
    added: Math.max(0, loadedP99 - quietP99),
  };
}

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
 * One key makes one request after the other, first alone and then while another key does as much as it can. Gives for
 * each of the verbs of the first how long they took, and how many the other did a second.
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
   * Does something while the load goes on; gives what that gave, and how much of the load was done meanwhile. What was
   * still under way then is hung up on: lists of everything would take long to come in, and nobody looks at them.
   */
  const beside = async (run) => {
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
    // By the time that it is measured the server has compiled what both do.
    await beside(probed);
    const quiet = await probed();
    const loaded = await beside(() => measured(target.pids, probed));
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

// A client with its own key in its own thread, so its latency depends on the server and not on the load in this
// process.
import { parentPort, workerData } from 'node:worker_threads';
import { openClient } from './api-client.mjs';
import { collectionOf } from './collection.mjs';

const { target, namespace, prefix } = workerData;
const collection = collectionOf(target, namespace, prefix);
const client = await openClient(target);
let made = 0;

const verbs = {
  create: () => collection.create(client, made++),
  get: () => collection.get(client, made - 1),
};

parentPort.on('message', async ({ seconds }) => {
  const times = { create: [], get: [] };
  for (const end = performance.now() + 1000 * seconds; performance.now() < end; ) {
    for (const verb of ['create', 'get']) {
      const begun = performance.now();
      await verbs[verb]();
      times[verb].push(performance.now() - begun);
    }
  }
  parentPort.postMessage(times);
});

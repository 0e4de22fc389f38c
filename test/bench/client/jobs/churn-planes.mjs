import { setTimeout as sleep } from 'node:timers/promises';
import { closeClients, openClients } from '../api-client.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';
import { virtualClustersOf } from '../virtual-clusters.mjs';

/** Creates virtual clusters, sends one request to each, deletes all, and waits until the last is gone. */
export async function churnPlanes(target, { namespace, calls, clients: count }) {
  const clients = await openClients(target, count);
  const virtualClusters = virtualClustersOf(target, namespace);
  await virtualClusters.makeNamespace(clients[0]);
  const name = (number) => `plane-${number}`;
  const make = async (client, number) => {
    await virtualClusters.create(client, name(number));
    await virtualClusters.ask(client, name(number));
  };
  const taken = await measured(target, async () => {
    const times = await spread(clients, { count: calls }, make);
    await spread(clients, { count: calls }, (client, number) => virtualClusters.delete(client, name(number)));
    while ((await virtualClusters.count(clients[0])) > 0) await sleep(50);
    return times;
  });
  closeClients(clients);
  return figuresOf(taken, calls, taken.result);
}

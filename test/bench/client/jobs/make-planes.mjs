import { closeClients, openClients } from '../api-client.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';
import { virtualClustersOf } from '../virtual-clusters.mjs';

/**
 * Creates virtual clusters in a new namespace. With `ask`, the time of each virtual cluster ends with its first
 * response.
 */
export async function makePlanes(target, { namespace, calls, clients: count, ask }) {
  const clients = await openClients(target, count);
  const virtualClusters = virtualClustersOf(target, namespace);
  await virtualClusters.makeNamespace(clients[0]);
  const act = async (client, number) => {
    await virtualClusters.create(client, `plane-${number}`);
    if (ask) await virtualClusters.ask(client, `plane-${number}`);
  };
  const taken = await measured(target, () => spread(clients, { count: calls }, act));
  closeClients(clients);
  return figuresOf(taken, taken.result.length, taken.result);
}

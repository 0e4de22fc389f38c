import { closeClients, openClients } from '../api-client.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';
import { virtualClustersOf } from '../virtual-clusters.mjs';

/** Sends one request to each of a number of virtual clusters, spread over all of them, without repetition. */
export async function askPlanes(target, { namespace, planes, calls }) {
  const clients = await openClients(target, 1);
  const virtualClusters = virtualClustersOf(target, namespace);
  const apart = Math.max(1, Math.floor(planes / calls));
  const act = (client, number) => virtualClusters.ask(client, `plane-${number * apart}`);
  const taken = await measured(target, () => spread(clients, { count: Math.min(calls, planes) }, act));
  closeClients(clients);
  return figuresOf(taken, taken.result.length, taken.result);
}

import { closeClients, openClients } from '../api-client.mjs';
import { spread } from '../spread.mjs';

const media = { contentType: 'application/json' };

/** Creates clusters that are reached through their agents. Returns their names and the access keys of the agents. */
export async function makeAgents(target, { count }) {
  const { management, managementVersion } = target;
  const clients = await openClients(target, Math.min(10, count));
  const send = async (client, path, object) => {
    const body = Buffer.from(JSON.stringify(object));
    return JSON.parse((await client.send(201, 'POST', `${management}/clusters${path}`, { body, media })).body);
  };
  const agents = [];
  await spread(clients, { count }, async (client, number) => {
    const cluster = `edge-${number}`;
    const spec = { networkPeer: true };
    await send(client, '', { apiVersion: managementVersion, kind: 'Cluster', metadata: { name: cluster }, spec });
    const { accessKey } = await send(client, `/${cluster}/accesskey`, {});
    agents.push({ cluster, accessKey });
  });
  closeClients(clients);
  return agents;
}

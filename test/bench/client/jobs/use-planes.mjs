import { closeClients, openClients } from '../api-client.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';
import { virtualClustersOf } from '../virtual-clusters.mjs';

const json = { contentType: 'application/json' };
const applied = { contentType: 'application/apply-patch+yaml' };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const text = 'x'.repeat(1500);

/** The operations of one round in a virtual cluster, as a user or a controller does them: write, apply, read, list. */
const requestsPerRound = 4;

/** Several virtual clusters in use at the same time, each by its own clients. Returns the figures of single requests. */
export async function usePlanes(target, { namespace, planes, clientsPerPlane, listed, seconds }) {
  const virtualClusters = virtualClustersOf(target, namespace);
  const clients = await openClients(target, planes * clientsPerPlane);
  await virtualClusters.makeNamespace(clients[0]);
  const users = clients.map((client, index) => ({ client, plane: `plane-${index % planes}`, number: index }));
  for (let plane = 0; plane < planes; plane++) await virtualClusters.create(clients[plane], `plane-${plane}`);
  const mapsOf = ({ plane }) => virtualClusters.pathIn(plane, '/api/v1/namespaces/default/configmaps');
  const create = ({ client, ...user }, name, labels) => {
    const body = Buffer.from(JSON.stringify({ metadata: { name, labels }, data: { text } }));
    return client.send(201, 'POST', mapsOf(user), { body, media: json });
  };
  await Promise.all(
    users.slice(0, planes).map(async (user) => {
      for (let item = 0; item < listed; item++) await create(user, `listed-${item}`, { listed: 'true' });
    }),
  );
  const round = async (user, number) => {
    const { client } = user;
    const name = `map-${user.number}-${number}`;
    await create(user, name, {});
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { more: text } };
    const options = { body: Buffer.from(JSON.stringify(object)), media: applied };
    await client.send(200, 'PATCH', `${mapsOf(user)}/${name}?fieldManager=user`, options);
    await client.send(200, 'GET', `${mapsOf(user)}/${name}`);
    await client.send(200, 'GET', `${mapsOf(user)}?labelSelector=listed%3Dtrue`, { media: table });
  };
  const most = Number.POSITIVE_INFINITY;
  // Warms up, so the server compiles its hot code before the measurement.
  await spread(users, { count: most, seconds }, round);
  const taken = await measured(target, () =>
    spread(users, { count: most, seconds }, (user, number) => round(user, `measured-${number}`)),
  );
  closeClients(clients);
  return figuresOf(
    taken,
    requestsPerRound * taken.result.length,
    taken.result.map((time) => time / requestsPerRound),
  );
}

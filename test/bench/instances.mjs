import { expectStatus } from './connect.mjs';

const json = { 'content-type': 'application/json' };
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const applyPatch = { 'content-type': 'application/apply-patch+yaml' };

/** The calls that the scenarios make: virtual cluster instances of one project. */
export function instancesOf(naming, project) {
  const api = `/kubernetes/management/apis/${naming.managementGroup}/${naming.managementVersion}`;
  const apiVersion = `${naming.managementGroup}/${naming.managementVersion}`;
  const collection = `${api}/namespaces/${naming.projectNamespace(project)}/virtualclusterinstances`;
  const instance = (name, displayName, more) =>
    JSON.stringify({
      apiVersion,
      kind: 'VirtualClusterInstance',
      metadata: { name, labels: { team: 'bench', stage: 'test' }, annotations: { purpose: 'measured' } },
      spec: { displayName, ...more },
    });
  return {
    localCluster: naming.localCluster,
    createProject: (client) =>
      expectStatus(
        201,
        client.send(
          'POST',
          `${api}/projects`,
          json,
          JSON.stringify({
            apiVersion,
            kind: 'Project',
            metadata: { name: project },
            spec: {
              allowedClusters: [{ name: '*' }],
              allowedTemplates: [{ kind: 'VirtualClusterTemplate', name: '*' }],
            },
          }),
        ),
      ),
    create: (client, name, more = {}) => {
      const body = instance(name, 'Measured', { description: 'Made to be measured.', ...more });
      return expectStatus(201, client.send('POST', collection, json, body));
    },
    get: (client, name) => expectStatus(200, client.send('GET', `${collection}/${name}`, {})),
    list: (client, headers = {}) => expectStatus(200, client.send('GET', collection, headers)),
    patch: (client, name, text) =>
      expectStatus(
        200,
        client.send('PATCH', `${collection}/${name}`, mergePatch, JSON.stringify({ spec: { displayName: text } })),
      ),
    apply: (client, name, text) =>
      expectStatus(
        200,
        client.send('PATCH', `${collection}/${name}?fieldManager=bench&force=true`, applyPatch, instance(name, text)),
      ),
    remove: (client, name) => expectStatus(200, client.send('DELETE', `${collection}/${name}`, {})),
    removeAll: (client) => expectStatus(200, client.send('DELETE', collection, {})),
    /** From now on: what is there already is not told. */
    async watch(client, onData) {
      const { body } = await expectStatus(200, client.send('GET', `${collection}?limit=1`, {}));
      const { resourceVersion } = JSON.parse(body).metadata;
      return await expectStatus(200, client.stream(`${collection}?watch=1&resourceVersion=${resourceVersion}`, onData));
    },
  };
}

/** Makes so many, several at a time, on the built-in cluster, so that none has to be chosen; gives their names. */
export async function createMany(instances, clients, count, prefix, signal) {
  const place = { clusterRef: { cluster: instances.localCluster } };
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  let next = 0;
  const work = async (client) => {
    while (next < names.length) {
      signal.throwIfAborted();
      await instances.create(client, names[next++], place);
    }
  };
  await Promise.all(clients.map(work));
  return names;
}

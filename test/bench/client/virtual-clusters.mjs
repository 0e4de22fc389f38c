/** The virtual clusters in one namespace of the built-in cluster: how to create, reach and delete them. */
export function virtualClustersOf({ cluster, virtualClusters }, namespace) {
  const { apiVersion, kind } = virtualClusters;
  const collection = `${cluster}/apis/${apiVersion}/namespaces/${namespace}/virtualclusters`;
  const media = { contentType: 'application/json' };
  return {
    async makeNamespace(client) {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      const body = Buffer.from(JSON.stringify(object));
      await client.send(201, 'POST', `${cluster}/api/v1/namespaces`, { body, media });
    },
    async create(client, name) {
      const object = { apiVersion, kind, metadata: { name } };
      await client.send(201, 'POST', collection, { body: Buffer.from(JSON.stringify(object)), media });
    },
    /** Reads an object that every virtual cluster has from the start. */
    async ask(client, name) {
      await client.send(200, 'GET', `${collection}/${name}/proxy/api/v1/namespaces/default`);
    },
    /** A path in the API of a virtual cluster. */
    pathIn: (name, path) => `${collection}/${name}/proxy${path}`,
    async delete(client, name) {
      await client.send(200, 'DELETE', `${collection}/${name}`);
    },
    /** The number of virtual clusters, including those under deletion. */
    async count(client) {
      const { body } = await client.send(200, 'GET', `${collection}?limit=1`);
      const { items, metadata } = JSON.parse(body);
      return items.length + (metadata.remainingItemCount ?? 0);
    },
  };
}

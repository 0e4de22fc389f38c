/** The virtual clusters on the built-in cluster, in one namespace of it; how they are made, reached and removed. */
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
    /** Something that every virtual cluster has from its first moment. */
    async ask(client, name) {
      await client.send(200, 'GET', `${collection}/${name}/proxy/api/v1/namespaces/default`);
    },
    async delete(client, name) {
      await client.send(200, 'DELETE', `${collection}/${name}`);
    },
    /** How many there are, those that are being removed included. */
    async count(client) {
      const { body } = await client.send(200, 'GET', `${collection}?limit=1`);
      const { items, metadata } = JSON.parse(body);
      return items.length + (metadata.remainingItemCount ?? 0);
    },
  };
}

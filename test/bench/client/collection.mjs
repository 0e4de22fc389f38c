import { instance, instanceName } from '../instance.mjs';

const json = { contentType: 'application/json' };
const mergePatch = { contentType: 'application/merge-patch+json' };
const applyPatch = { contentType: 'application/apply-patch+yaml' };

/**
 * The API calls that the jobs use for the objects of one namespace. A number identifies each object. The objects are
 * instances unless `plural` is set.
 */
export function collectionOf(target, namespace, prefix = 'instance') {
  const path = `${target.api}/namespaces/${namespace}/${target.plural ?? 'virtualclusterinstances'}`;
  const pathOf = (number) => `${path}/${instanceName(prefix, number)}`;
  const bodyOf = (...args) => Buffer.from(JSON.stringify(instance(target.apiVersion, prefix, ...args)));
  return {
    path,
    create: (client, number) => client.send(201, 'POST', path, { body: bodyOf(number), media: json }),
    get: (client, number, authorization, query = '') =>
      client.send(200, 'GET', `${pathOf(number)}${query}`, { authorization }),
    list: (client, query = '', media = {}) => client.send(200, 'GET', `${path}${query}`, { media }),
    merge: (client, number, text) => {
      const body = Buffer.from(JSON.stringify({ spec: { displayName: text } }));
      return client.send(200, 'PATCH', pathOf(number), { body, media: mergePatch });
    },
    apply: (client, number, text) => {
      const query = '?fieldManager=bench&force=true';
      return client.send(200, 'PATCH', `${pathOf(number)}${query}`, { body: bodyOf(number, text), media: applyPatch });
    },
    remove: (client, number) => client.send(200, 'DELETE', pathOf(number)),
    /** The current revision, for a watch that skips existing objects. */
    async revision(client) {
      const { body } = await client.send(200, 'GET', `${path}?limit=1`);
      return JSON.parse(body).metadata.resourceVersion;
    },
    watch: (client, revision, handlers) => client.watch(`${path}?watch=1&resourceVersion=${revision}`, handlers),
  };
}

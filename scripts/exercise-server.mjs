import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';

const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/apply-patch+yaml' };
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const asDiscovery = { accept: 'application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList,application/json' };
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const strategicPatch = { 'content-type': 'application/strategic-merge-patch+json' };

const cluster = '/kubernetes/cluster/local';
const management = '/kubernetes/management';
const maps = `${cluster}/api/v1/namespaces/exercise/configmaps`;
const instances = `${management}/apis/management.platform.sh/v1/namespaces/platform-p-default/virtualclusterinstances`;

/**
 * Sends the most usual requests of users to a server that has just started, so that V8 compiles the code that handles
 * these requests. Rejects if the server refuses a request.
 */
export async function exerciseServer(url, dataDirectory) {
  const ca = readFileSync(join(dataDirectory, 'ca.crt'), 'utf8');
  const authorization = `Bearer ${readFileSync(join(dataDirectory, 'admin.key'), 'utf8').trim()}`;
  const session = connect(url, { ca });
  const failed = new Promise((_, reject) => session.once('error', reject));
  try {
    await Promise.race([failed, exerciseAll(new Api(session, authorization))]);
  } finally {
    session.destroy();
  }
}

async function exerciseAll(api) {
  for (const base of [management, cluster]) {
    for (const path of ['/version', '/openapi/v3']) await api.send('GET', `${base}${path}`);
    for (const path of ['/api', '/apis']) await api.send('GET', `${base}${path}`, asDiscovery);
  }
  await exerciseObjects(api);
  await exerciseInstance(api);
}

async function exerciseObjects(api) {
  const namespaces = `${cluster}/api/v1/namespaces`;
  await api.send('POST', namespaces, json, { metadata: { name: 'exercise' } });
  const added = await api.watch(maps, /"ADDED"/);
  for (const name of ['first', 'second']) {
    const metadata = { name, labels: { tier: 'gold' } };
    await api.send('POST', maps, json, { metadata, data: { text: 'x'.repeat(1_000) } });
  }
  await added.seen;
  const object = JSON.parse(await api.send('GET', `${maps}/first`));
  await api.send('PUT', `${maps}/first`, json, object);
  await api.send('PATCH', `${maps}/first`, mergePatch, { data: { more: 'y' } });
  await api.send('PATCH', `${maps}/first`, strategicPatch, { metadata: { labels: { tier: 'silver' } } });
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first' }, data: { applied: 'z' } };
  await api.send('PATCH', `${maps}/first?fieldManager=exercise`, yaml, applied);
  await api.send('GET', `${maps}?limit=1`);
  await api.send('GET', `${maps}?labelSelector=tier%3Dgold`, asTable);
  await api.send('DELETE', `${maps}/first`);
  await api.send('DELETE', `${namespaces}/exercise`);
}

async function exerciseInstance(api) {
  const name = 'exercise';
  const ready = await api.watch(instances, /"phase":"Ready"/);
  await api.send('POST', instances, json, { metadata: { name } });
  await ready.seen;
  await api.send('GET', instances, asTable);
  await api.send('GET', `/kubernetes/project/default/virtualcluster/${name}/api/v1/namespaces`, asTable);
  const deleted = await api.watch(instances, /"DELETED"/);
  await api.send('DELETE', `${instances}/${name}`);
  await deleted.seen;
}

/** A client that sends requests as one user. */
class Api {
  #session;
  #authorization;

  constructor(session, authorization) {
    this.#session = session;
    this.#authorization = authorization;
  }

  /** Returns the body of the response as text. */
  async send(method, path, headers = {}, body = undefined) {
    const { stream, text } = await this.#request({ ':method': method, ':path': path, ...headers }, body);
    await once(stream, 'end');
    return text();
  }

  /** Opens a watch. `seen` resolves when the received text matches the pattern. */
  async watch(path, pattern) {
    const { stream, text } = await this.#request({ ':method': 'GET', ':path': `${path}?watch=true` });
    const seen = new Promise((resolve) => {
      stream.on('data', () => {
        if (!pattern.test(text())) return;
        stream.close();
        resolve();
      });
    });
    return { seen };
  }

  /** Sends a request. Resolves when the response begins. `text` returns the part of the body that has arrived. */
  async #request(headers, body) {
    const stream = this.#session.request({ ...headers, authorization: this.#authorization });
    stream.end(body === undefined ? undefined : JSON.stringify(body));
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const [{ ':status': status }] = await once(stream, 'response');
    if (status >= 300)
      throw new Error(`${headers[':method']} ${headers[':path']}: the server responded with ${status}`);
    return { stream, text: () => text };
  }
}

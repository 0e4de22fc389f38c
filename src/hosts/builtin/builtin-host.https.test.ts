import { Readable } from 'node:stream';
import { Agent, fetch, request } from 'undici';
import { namespaceKind } from '../../api/core/namespace.ts';
import { virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import { type Fetch, httpClient } from '../../client/http-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { objectOf } from '../../server/planes.fixture.ts';
import { ServerBench } from '../../server/server.fixture.ts';
import { type HostUnderTest, hostSuite } from '../host.suite.ts';
import type { ApiRequest, ApiResponse, HostPlace } from '../host.ts';
import { builtinHost } from './builtin-host.ts';

/** The same cluster as somebody on another machine has it: an address and a key. */
async function open(): Promise<HostUnderTest> {
  const bench = await ServerBench.open();
  const server = await bench.start();
  const root = `${server.url}/kubernetes/cluster/local`;
  const dispatcher = new Agent({ connect: { ca: await bench.read('ca.crt') } });
  const token = await bench.adminKey();
  const overTls: Fetch = (url, init) => fetch(url, { ...init, dispatcher });
  const hostClient = httpClient({ server: root, fetch: overTls, token: () => token });

  async function sendToHost(asked: ApiRequest): Promise<ApiResponse> {
    const { statusCode, headers, body } = await request(`${root}${asked.path}`, {
      dispatcher,
      method: asked.method as 'GET',
      headers: [
        ...Object.entries({ ...asked.headers, authorization: `Bearer ${token}`, 'impersonate-user': asked.as.name }),
        ...asked.as.groups.map((group) => ['impersonate-group', group]),
      ].flat(),
      ...(asked.body === undefined ? {} : { body: Readable.from(asked.body) }),
      signal: asked.signal,
    });
    return { status: statusCode, headers: headers as ApiResponse['headers'], body };
  }
  function send({ namespace, name }: HostPlace, asked: ApiRequest): Promise<ApiResponse> {
    const { group, version, plural } = virtualClusterKind;
    const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}/proxy${asked.path}`;
    return sendToHost({ ...asked, path });
  }

  const { code } = await bench.ask(server, '/kubernetes/cluster/local/readyz');
  if (code !== 200) throw new Error('the built-in cluster is not ready');
  return {
    host: builtinHost({ hostClient, send, sendToHost, clock: systemClock, log: silentLog }),
    // Each look goes over the network; in between the server works by itself.
    async work() {
      await bench.ask(server, '/readyz', { token: '' });
    },
    async makeNamespace(name) {
      await hostClient.resource(namespaceKind).create(objectOf(namespaceKind, { name }));
    },
    hasNamespace: async (name) =>
      (await bench.ask(server, `/kubernetes/cluster/local/api/v1/namespaces/${name}`)).code === 200,
    async makeByHand(place) {
      await hostClient.resource(virtualClusterKind).create(objectOf(virtualClusterKind, { ...place }));
    },
    async close() {
      await dispatcher.close();
      await bench.close();
    },
  };
}

hostSuite('built in, over HTTPS', open);

import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instanceKubeconfig } from './instance-kubeconfig.ts';
import { inPhase, instancesOf, waitForInstance } from './instances.fixture.ts';
import { ServerTestEnv } from './server.fixture.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

describe('flotilla kubeconfig', () => {
  it.each(['kubernetes', 'elsewhere'])(
    'returns a working kubeconfig of the virtual cluster, below /%s',
    async (prefix) => {
      const server = await bench.start({ 'api-prefix': prefix });
      const path = instancesOf('default').replace('/kubernetes/', `/${prefix}/`);
      await bench.send(server, path, { method: 'POST', body: { metadata: { name: 'demo' } } });
      const text = await instanceKubeconfig({ instance: 'demo', project: 'default', dataDir: bench.dataDir });
      const config = load(text) as JsonObject;
      const [address] = listAt(config, 'clusters').map((entry) => textAt(entry, 'cluster', 'server'));
      expect(address).toBe(`${server.url}/${prefix}/project/default/virtualcluster/demo`);
      if (prefix !== 'kubernetes') return;
      await waitForInstance(bench, server, { name: 'demo' }, inPhase('Ready'));
      const [token = ''] = listAt(config, 'users').map((entry) => textAt(entry, 'user', 'token'));
      const inside = '/kubernetes/project/default/virtualcluster/demo/api/v1/namespaces/default';
      expect((await bench.send(server, inside, { token })).code).toBe(200);
    },
  );

  it('reports a missing object with a one-line message', async () => {
    const of = (instance: string, project = 'default') =>
      instanceKubeconfig({ instance, project, dataDir: bench.dataDir });
    await expect(of('demo')).rejects.toThrow('no admin.kubeconfig in');
    const server = await bench.start();
    await expect(of('none')).rejects.toThrow(
      /rejected the request for the kubeconfig: virtualclusterinstances.* "none" not found$/,
    );
    await expect(of('../x')).rejects.toThrow('rejected the request for the kubeconfig');
    await bench.stop(server);
    await expect(of('demo')).rejects.toThrow('no server is running at');
  });
});

import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupPath } from '../../server/server.fixture.ts';
import { AgentTestEnv, agentCluster, instancesPath } from '../agent.fixture.ts';

let at: AgentTestEnv;
beforeEach(async () => {
  at = await AgentTestEnv.open();
});
afterEach(() => at.close());

const inside = (name: string) => `/kubernetes/project/default/virtualcluster/${name}/api/v1/namespaces`;
const ofCluster = `/kubernetes/cluster/${agentCluster}/api/v1/namespaces`;
const namesIn = (json: JsonObject) => listAt(json, 'items').map((item) => textAt(item, 'metadata', 'name'));

async function cluster(): Promise<JsonObject> {
  return (await at.serverEnv.send(at.server, `${groupPath}/clusters/${agentCluster}`)).json;
}

/** Waits until the server responds to a GET of this path with this status code. */
async function waitForServerCode(path: string, code: number): Promise<void> {
  await expect
    .poll(async () => (await at.serverEnv.send(at.server, path)).code, { timeout: 20_000, interval: 50 })
    .toBe(code);
}

describe('an agent with tunnels', () => {
  it('announces no address, and the server creates and uses virtual clusters through a tunnel', async () => {
    await at.start({ usesTunnel: true });
    await at.createInstance('vc');
    expect((await cluster()).spec).not.toHaveProperty('directEndpoint');
    const made = await at.serverEnv.send(at.server, inside('vc'), {
      method: 'POST',
      body: { metadata: { name: 'web' } },
    });
    expect(made.code, made.text).toBe(201);
    expect(namesIn((await at.serverEnv.send(at.server, inside('vc'))).json)).toContain('web');
    expect(namesIn((await at.serverEnv.send(at.server, ofCluster)).json)).toContain('kube-system');
  });

  it('keeps its direct endpoint if it has an address of its own', async () => {
    await at.start({ usesTunnel: true, externalUrl: 'https://edge.example.com' });
    await waitForServerCode(ofCluster, 200);
    const { spec } = (await cluster()) as { spec: JsonObject };
    expect(textAt(spec, 'directEndpoint', 'host')).toBe('https://edge.example.com');
  });

  it('is in kubeconfigs with its own address only if it has one, and if the request does not name the gateway', async () => {
    const serverIn = async (spec: JsonObject) => {
      const path = `${instancesPath}/vc/kubeconfig`;
      const { code, json, text } = await at.serverEnv.send(at.server, path, { method: 'POST', body: { spec } });
      return code === 201 ? /server: (\S+)/.exec(textAt(json, 'status', 'kubeConfig'))?.[1] : `${code} ${text}`;
    };
    const path = '/kubernetes/project/default/virtualcluster/vc';
    await at.start({ usesTunnel: true });
    await at.createInstance('vc');
    for (const spec of [{}, { via: 'auto' }, { via: 'gateway' }]) {
      expect(await serverIn(spec)).toBe(`${at.server.url}${path}`);
    }
    expect(await serverIn({ via: 'direct' })).toMatch(/^422 .*spec.via.*has no direct endpoint; use gateway or auto/);
    expect(await serverIn({ via: 'tunnel' })).toMatch(/^422 .*spec.via/);
    await at.stopAgent();
    await at.start({ usesTunnel: true, externalUrl: 'https://edge.example.com' });
    await expect.poll(() => serverIn({}), { timeout: 20_000 }).toBe(`https://edge.example.com${path}`);
    expect(await serverIn({ via: 'direct' })).toBe(`https://edge.example.com${path}`);
    expect(await serverIn({ via: 'gateway' })).toBe(`${at.server.url}${path}`);
  });

  it('is reachable again after the server was restarted, and after the agent was', async () => {
    await at.start({ usesTunnel: true });
    await waitForServerCode(ofCluster, 200);
    await at.stopServer();
    await at.restartServer();
    await waitForServerCode(ofCluster, 200);
    await at.stopAgent();
    const { code, text } = await at.serverEnv.send(at.server, ofCluster);
    expect([code, text]).toEqual([
      503,
      expect.stringContaining('the agent of the cluster \\"edge\\" is not connected'),
    ]);
    await at.start({ usesTunnel: true });
    await waitForServerCode(ofCluster, 200);
  });

  it('continues a watch through the tunnel until the agent stops, and then ends it with EOF (WATCH-33)', async () => {
    await at.start({ usesTunnel: true });
    await waitForServerCode(ofCluster, 200);
    const watch = await at.serverEnv.request(at.server, `${ofCluster}?watch=true`, {});
    expect(watch.statusCode).toBe(200);
    const chunks = watch.body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toContain('ADDED');
    const stopped = at.stopAgent();
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      expect(String(next.value)).toMatch(/"type":"ADDED".*\n$/);
    }
    await stopped;
  });

  it('loses its tunnels when its access key is deleted', async () => {
    await at.start({ usesTunnel: true });
    await waitForServerCode(ofCluster, 200);
    const keys = await at.serverEnv.send(at.server, `${groupPath}/accesskeys`);
    const names = namesIn(keys.json).filter((name) => name.includes(agentCluster));
    expect(names).toHaveLength(1);
    await at.serverEnv.send(at.server, `${groupPath}/accesskeys/${names[0]}`, { method: 'DELETE' });
    await waitForServerCode(ofCluster, 503);
  });
});

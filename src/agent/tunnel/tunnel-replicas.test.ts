import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { ReplicasTestEnv } from '../../server/replicas.fixture.ts';
import { groupPath } from '../../server/server.fixture.ts';
import { agentCluster, agentOptions } from '../agent.fixture.ts';
import { type RunningAgent, startAgent } from '../start-agent.ts';

let replicas: ReplicasTestEnv;
let agent: RunningAgent;

beforeEach(async () => {
  replicas = await ReplicasTestEnv.open();
  const { bench, server } = replicas.first;
  await bench.createObject(server, 'clusters', agentCluster, { networkPeer: true });
  const key = await replicas.first.send(`${groupPath}/clusters/${agentCluster}/accesskey`, {
    method: 'POST',
    body: {},
  });
  await writeFile(join(bench.root, 'agent.key'), textAt(key.json, 'accessKey'), { mode: 0o600 });
  agent = await startAgent(
    { ...agentOptions(bench, server), usesTunnel: true, planeWorkers: 0 },
    { clock: systemClock, log: silentLog },
  );
});
afterEach(async () => {
  await agent.close();
  await replicas.close();
});

const namespaces = `/kubernetes/cluster/${agentCluster}/api/v1/namespaces`;

it('a replica reaches an agent whose tunnels end at another replica', async () => {
  const { first, second } = replicas;
  await expect.poll(() => first.code(namespaces), { timeout: 20_000 }).toBe(200);
  await expect.poll(() => second.code(namespaces), { timeout: 20_000 }).toBe(200);
  const made = await second.send(namespaces, { method: 'POST', body: { metadata: { name: 'web' } } });
  expect(made.code, made.text).toBe(201);
  const many = await Promise.all(Array.from({ length: 50 }, () => second.send(namespaces)));
  for (const { json } of many) {
    expect(listAt(json, 'items').map((item) => textAt(item, 'metadata', 'name'))).toContain('web');
  }
  await agent.close();
  await expect.poll(() => second.code(namespaces), { timeout: 20_000 }).toBe(503);
});

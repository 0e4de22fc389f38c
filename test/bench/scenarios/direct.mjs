import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../bin/flotilla.js', import.meta.url));
const path = '/api/v1/namespaces/default/configmaps';
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'asked' }, data: { text: 'x'.repeat(1500) } };

/**
 * A built-in cluster of an agent: requests with a direct token, through the control server, and the same on `local`.
 */
export async function direct(session) {
  if (!session.hasPlanes) return;
  const { sizes } = session;
  await session.start('direct');
  const agent = await startAgent(session);
  try {
    const { management, managementVersion, pids } = session.target;
    const body = { apiVersion: managementVersion, kind: 'DirectClusterEndpointToken', spec: { ttl: 3600 } };
    const { status } = await session.run('send', {
      method: 'POST',
      path: `${management}/directclusterendpointtokens`,
      object: body,
      expected: 201,
    });
    const near = { url: agent.url, ca: agent.ca, authorization: `Bearer ${status.token}`, pids: [agent.pid] };
    const ways = [
      ['local', 'built-in cluster of the server', '/kubernetes/cluster/local', session.target],
      ['direct', 'direct endpoint of the agent', '/kubernetes/cluster', near],
      [
        'central',
        'agent through the server',
        '/kubernetes/cluster/edge',
        { ...session.target, pids: [...pids, agent.pid] },
      ],
    ];
    await session.run('send', { method: 'POST', path: `/kubernetes/cluster${path}`, object, expected: 201 }, near);
    await session.run('send', { method: 'POST', path: `/kubernetes/cluster/local${path}`, object, expected: 201 });
    for (const clients of [1, 10]) {
      const words = `get, ${clients} client${clients === 1 ? '' : 's'}`;
      const rates = {};
      for (const [id, how, root, target] of ways) {
        const asked = { calls: sizes.gets, seconds: sizes.mostSeconds, clients, path: `${root}${path}/asked` };
        const figures = await session.measure(`${words}, ${how}`, 'ask', asked, target);
        rates[id] = figures.rate;
        const share = id === 'local' ? {} : { share: (100 * figures.rate) / rates.local };
        session.note(`${id}-${clients}`, `${words}, ${how}`, { ...figures, ...share });
      }
    }
  } finally {
    await agent.stop();
  }
}

/** The agent of a new cluster `edge`, connected to the server. */
async function startAgent(session) {
  const { management, managementVersion, url, ca } = session.target;
  const clusters = `${management}/clusters`;
  const cluster = {
    apiVersion: managementVersion,
    kind: 'Cluster',
    metadata: { name: 'edge' },
    spec: { networkPeer: true },
  };
  await session.run('send', { method: 'POST', path: clusters, object: cluster, expected: 201 });
  const made = { method: 'POST', path: `${clusters}/edge/accesskey`, object: {}, expected: 201 };
  const { accessKey } = await session.run('send', made);
  const folder = session.folder('edge');
  mkdirSync(folder, { recursive: true });
  const [caFile, keyFile] = [join(folder, 'ca.crt'), join(folder, 'key')];
  writeFileSync(caFile, ca);
  writeFileSync(keyFile, accessKey, { mode: 0o600 });
  const child = spawn(
    process.execPath,
    [
      ...[
        program,
        'agent',
        '--management',
        url,
        '--ca-file',
        caFile,
        '--cluster',
        'edge',
        '--access-key-file',
        keyFile,
      ],
      ...['--data-dir', join(folder, 'data'), '--listen', '127.0.0.1:0', '--built-in', '--log-level', 'error'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [printed] = await once(child.stdout.setEncoding('utf8'), 'data');
  for (;;) {
    const { status } = await session.run('send', { method: 'GET', path: `${clusters}/edge`, expected: 200 });
    if (status?.online === true) break;
    await sleep(100, undefined, { signal: session.signal });
  }
  return {
    url: /^ready (https:\S+)$/m.exec(printed)[1],
    ca: readFileSync(join(folder, 'data', 'ca.crt'), 'utf8'),
    pid: child.pid,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

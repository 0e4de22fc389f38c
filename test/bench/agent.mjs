import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/flotilla.js', import.meta.url));

/** Creates a cluster that is reached through its agent, and returns the access key of that agent. */
export async function createAgentKey(session, name) {
  const { management, managementVersion } = session.target;
  const clusters = `${management}/clusters`;
  const cluster = { apiVersion: managementVersion, kind: 'Cluster', metadata: { name }, spec: { networkPeer: true } };
  await session.run('send', { method: 'POST', path: clusters, object: cluster, expected: 201 });
  const made = { method: 'POST', path: `${clusters}/${name}/accesskey`, object: {}, expected: 201 };
  return (await session.run('send', made)).accessKey;
}

/** Waits until the server has reached a cluster. */
export async function untilOnline(session, name) {
  for (;;) {
    const path = `${session.target.management}/clusters/${name}`;
    const { status } = await session.run('send', { method: 'GET', path, expected: 200 });
    if (status?.online === true) return;
    await sleep(100, undefined, { signal: session.signal });
  }
}

/** The target of requests that are sent to an agent directly. */
export async function directTarget(session, { url, ca, pid }) {
  const { management, managementVersion } = session.target;
  const object = { apiVersion: managementVersion, kind: 'DirectClusterEndpointToken', spec: { ttl: 3600 } };
  const path = `${management}/directclusterendpointtokens`;
  const { status } = await session.run('send', { method: 'POST', path, object, expected: 201 });
  return { url, ca, authorization: `Bearer ${status.token}`, pids: [pid] };
}

/**
 * Starts the agent of a new cluster `edge`, with a built-in cluster and connected to the server. `flags` are further
 * flags of the agent.
 */
export async function startAgent(session, ...flags) {
  const { url, ca } = session.target;
  const accessKey = await createAgentKey(session, 'edge');
  const agents = session.folder('edge');
  mkdirSync(agents, { recursive: true });
  const folder = mkdtempSync(join(agents, 'agent-'));
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
      ...[
        '--data-dir',
        join(folder, 'data'),
        '--listen',
        '127.0.0.1:0',
        '--built-in',
        '--log-level',
        'error',
        ...flags,
      ],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [printed] = await once(child.stdout.setEncoding('utf8'), 'data');
  await untilOnline(session, 'edge');
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

import { mkdirSync } from 'node:fs';
import { createAgentKey, directTarget, startAgent, untilOnline } from '../agent.mjs';
import { mebibytes, median, middleBy } from '../figures.mjs';
import { buildAgentFleet, startAgentFleet } from '../tunnel/start-agent-fleet.mjs';

const path = '/api/v1/namespaces/default/configmaps';
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'asked' }, data: { text: 'x'.repeat(1500) } };

/** Measures clusters that the server reaches through the tunnels of their agents. */
export async function tunnel(session) {
  if (!session.hasPlanes) return;
  const folder = session.folder('agents');
  mkdirSync(folder, { recursive: true });
  const program = await buildAgentFleet(folder);
  await session.start('tunnel');
  await gets(session);
  await downloads(session, program);
}

/**
 * Measures the same get request sent directly to an agent with a built-in cluster, and sent through the server and a
 * tunnel.
 */
async function gets(session) {
  const agent = await startAgent(session, '--tunnel');
  try {
    const { sizes, target } = session;
    const near = await directTarget(session, agent);
    const far = { ...target, pids: [...target.pids, agent.pid] };
    await session.run('send', { method: 'POST', path: `/kubernetes/cluster${path}`, object, expected: 201 }, near);
    const calls = Math.ceil(sizes.gets / sizes.transferRounds);
    const asked = (root) => ({ calls, seconds: sizes.mostSeconds, clients: 1, path: `${root}${path}/asked` });
    const rounds = [];
    for (let round = 0; round < sizes.transferRounds; round++) {
      const direct = await session.measure('get, direct endpoint', 'ask', asked('/kubernetes/cluster'), near);
      const tunneled = await session.measure('get, tunnel', 'ask', asked('/kubernetes/cluster/edge'), far);
      rounds.push({ direct, tunneled, added: tunneled.p50 - direct.p50 });
    }
    const middle = (side) =>
      middleBy(
        rounds.map((round) => round[side]),
        ({ p50 }) => p50,
      );
    session.note('tunnel-get-direct', 'get, 1 client, direct endpoint of the agent', middle('direct'));
    const addedP50 = median(rounds.map(({ added }) => added));
    session.note('tunnel-get', 'get, 1 client, through the tunnel', { ...middle('tunneled'), addedP50 });
  } finally {
    await agent.stop();
  }
}

/**
 * Measures one long response: directly from the agent, and through the server over a direct connection or the tunnel.
 */
async function downloads(session, program) {
  const { sizes, target, signal } = session;
  const agents = [{ cluster: 'tunneled', accessKey: await createAgentKey(session, 'tunneled') }];
  const fleet = await startAgentFleet(program, { management: target.url, authority: target.ca, agents, signal });
  try {
    await connectTo(session, fleet);
    await untilOnline(session, 'tunneled');
    const { transferBytes: bytes, transferRounds } = sizes;
    const through = { ...target, pids: [...target.pids, fleet.pid] };
    const ways = {
      direct: { root: '', target: { url: fleet.url, ca: fleet.ca, authorization: 'Bearer none', pids: [fleet.pid] } },
      connected: { root: '/kubernetes/cluster/connected', target: through },
      tunneled: { root: '/kubernetes/cluster/tunneled', target: through },
    };
    const rounds = [];
    for (let round = 0; round < transferRounds; round++) {
      const figures = {};
      for (const [way, { root, target: at }] of Object.entries(ways)) {
        const options = { path: `${root}/bytes/${bytes}`, bytes };
        figures[way] = await session.measure(`download, ${way}`, 'download', options, at);
      }
      rounds.push(figures);
    }
    const middle = (way) =>
      middleBy(
        rounds.map((round) => round[way]),
        ({ throughput }) => throughput,
      );
    const share = (way, of) => median(rounds.map((round) => (100 * round[way].throughput) / round[of].throughput));
    const words = `${Math.round(mebibytes(bytes))} MiB in one response`;
    session.note('download-direct', `${words}, from the agent`, middle('direct'));
    session.note('download-connected', `${words}, through the server, connected to the agent`, {
      ...middle('connected'),
      share: share('connected', 'direct'),
    });
    session.note('tunnel-download', `${words}, through the server and the tunnel`, {
      ...middle('tunneled'),
      share: share('tunneled', 'connected'),
    });
  } finally {
    await fleet.stop();
  }
}

/** Connects a cluster whose API server address is the shared port of the agents. */
async function connectTo(session, { url, ca }) {
  const { management, managementVersion } = session.target;
  const data = Buffer.from(ca).toString('base64');
  const kubeconfig = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': data } }],
    users: [{ name: 'c', user: { token: 'none' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    'current-context': 'c',
  });
  const cluster = {
    apiVersion: managementVersion,
    kind: 'Cluster',
    metadata: { name: 'connected' },
    spec: { kubeconfig },
  };
  await session.run('send', { method: 'POST', path: `${management}/clusters`, object: cluster, expected: 201 });
  await untilOnline(session, 'connected');
}

import { directTarget, startAgent } from '../agent.mjs';

const path = '/api/v1/namespaces/default/configmaps';
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'asked' }, data: { text: 'x'.repeat(1500) } };

/**
 * Measures a built-in cluster of an agent: requests with a direct token, requests through the control server, and the
 * same requests on `local`.
 */
export async function direct(session) {
  if (!session.hasPlanes) return;
  const { sizes } = session;
  await session.start('direct');
  const agent = await startAgent(session);
  try {
    const { pids } = session.target;
    const near = await directTarget(session, agent);
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

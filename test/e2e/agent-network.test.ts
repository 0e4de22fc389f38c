import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edge, namespacesOf, openEdge } from '../harness/edge.ts';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const room = `edge${process.pid}`;
const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' });
const must = (...args: string[]) => {
  const { status, stderr } = ip(...args);
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
};
const hasRooms = process.getuid?.() === 0 && ip('netns', 'list').status === 0;
const missing = kubectlMissing ?? (hasRooms ? undefined : 'network namespaces need root and the program ip');
/** Reserved for network tests (RFC 2544). */
const [here, there] = ['198.18.77.1', '198.18.77.2'];

describeIfAvailable(missing, 'the direct endpoint during a network failure (issue 8)', () => {
  let edge: Edge;

  beforeAll(async () => {
    must('netns', 'add', room);
    must('link', 'add', `${room}a`, 'type', 'veth', 'peer', 'name', `${room}b`, 'netns', room);
    must('addr', 'add', `${here}/30`, 'dev', `${room}a`);
    must('link', 'set', `${room}a`, 'up');
    must('-n', room, 'addr', 'add', `${there}/30`, 'dev', `${room}b`);
    must('-n', room, 'link', 'set', 'lo', 'up');
    must('-n', room, 'link', 'set', `${room}b`, 'up');
    edge = await openEdge({
      server: `${there}:8443`,
      agent: `${here}:8444`,
      commandPrefix: ['ip', 'netns', 'exec', room],
    });
  });
  afterAll(async () => {
    await edge?.close();
    ip('netns', 'del', room);
  });

  it('keeps serving; server and agent reconnect when the network is back, and revocations made meanwhile take effect', async () => {
    const anna = await edge.createUser('anna');
    await edge.createInstance('vc', ['anna']);
    const token = await edge.directToken(anna);
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc', anna));
    const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
    must('-n', room, 'link', 'set', `${room}b`, 'down');
    await kubectl.ok(['create', 'configmap', 'alone', '-n', 'default']);
    await watch.waitForOutput(/configmap\/alone/);
    const ended = new Promise((resolve) => watch.child.once('exit', resolve));
    // No packet reports the failure: it takes a while until the agent notices that the server is unreachable.
    await edge.waitForStatus(namespacesOf('vc'), anna, 503, 40_000);
    expect((await edge.request(namespacesOf('vc'), token)).code).toBe(200);
    const inside = ['netns', 'exec', room, 'kubectl', '--kubeconfig', edge.server.kubeconfig];
    must(...inside, 'delete', 'accesskey', 'annas');
    must('-n', room, 'link', 'set', `${room}b`, 'up');
    await edge.waitForStatus(namespacesOf('vc'), token, 401, 40_000);
    await ended;
  });
});

import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edge, namespacesOf, openEdge } from '../harness/edge.ts';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeWith } from '../harness/suite.ts';

const room = `edge${process.pid}`;
const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' });
const must = (...args: string[]) => {
  const { status, stderr } = ip(...args);
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
};
const hasRooms = process.getuid?.() === 0 && ip('netns', 'list').status === 0;
const missing = kubectlMissing ?? (hasRooms ? undefined : 'network namespaces need root and the program ip');
/** Set aside for tests of networks (RFC 2544). */
const [here, there] = ['198.18.77.1', '198.18.77.2'];

describeWith(missing, 'the direct endpoint, with the cable taken out (issue 8)', () => {
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
      centre: `${there}:8443`,
      agent: `${here}:8444`,
      before: ['ip', 'netns', 'exec', room],
    });
  });
  afterAll(async () => {
    await edge?.close();
    ip('netns', 'del', room);
  });

  it('goes on; the two find each other again when it is back, and what was taken back meanwhile is', async () => {
    const anna = await edge.person('anna');
    await edge.make('vc', ['anna']);
    const token = await edge.directToken(anna);
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc', anna));
    const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
    must('-n', room, 'link', 'set', `${room}b`, 'down');
    await kubectl.ok(['create', 'configmap', 'alone', '-n', 'default']);
    await watch.seen(/configmap\/alone/);
    const ended = new Promise((resolve) => watch.child.once('exit', resolve));
    // Nobody tells a sender that the cable is out: it takes a while until the agent knows that the centre is away.
    await edge.until(namespacesOf('vc'), anna, 503, 40_000);
    expect((await edge.ask(namespacesOf('vc'), token)).code).toBe(200);
    const inside = ['netns', 'exec', room, 'kubectl', '--kubeconfig', edge.centre.kubeconfig];
    must(...inside, 'delete', 'accesskey', 'annas');
    must('-n', room, 'link', 'set', `${room}b`, 'up');
    await edge.until(namespacesOf('vc'), token, 401, 40_000);
    await ended;
  });
});

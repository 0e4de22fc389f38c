import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type Edge, namespacesOf, openEdge } from '../harness/network/edge.ts';
import { NetworkRoom, networkRoomsMissing } from '../harness/network/network-room.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const missing = kubectlMissing ?? networkRoomsMissing;
const outside = '198.18.77.1';

describeIfAvailable(missing, 'the direct endpoint during a network failure (issue 8)', () => {
  let room: NetworkRoom;
  let edge: Edge;

  beforeAll(async () => {
    room = NetworkRoom.open('edge', [outside, '198.18.77.2']);
    edge = await openEdge({
      server: `${room.inside}:8443`,
      agent: `${outside}:8444`,
      commandPrefix: room.commandPrefix,
    });
  });
  afterAll(async () => {
    await edge?.close();
    room?.close();
  });

  it('keeps serving; server and agent reconnect when the network is back, and revocations made meanwhile take effect', async () => {
    const anna = await edge.createUser('anna');
    await edge.createInstance('vc', ['anna']);
    const token = await edge.directToken(anna);
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc', anna));
    const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
    room.disconnect();
    await kubectl.ok(['create', 'configmap', 'alone', '-n', 'default']);
    await watch.waitForOutput(/configmap\/alone/);
    const ended = new Promise((resolve) => watch.child.once('exit', resolve));
    // The disconnected network drops packets silently, so it takes a while until the agent notices that the server is
    // unreachable.
    await edge.waitForStatus(namespacesOf('vc'), anna, 503, 40_000);
    expect((await edge.request(namespacesOf('vc'), token)).code).toBe(200);
    room.run('kubectl', '--kubeconfig', edge.server.kubeconfig, 'delete', 'accesskey', 'annas');
    room.reconnect();
    await edge.waitForStatus(namespacesOf('vc'), token, 401, 40_000);
    await ended;
  });
});

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type Edge, openEdge } from '../harness/network/edge.ts';
import { describeIfAvailable } from '../harness/suite.ts';

describeIfAvailable(kubectlMissing, 'an agent that has lost its data directory', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await openEdge();
    await edge.createInstance('vc');
  });
  afterAll(() => edge.close());

  const read = async (...args: string[]): Promise<JsonValue> =>
    JSON.parse(await edge.admin.ok(['get', ...args, '-o', 'json']));
  const instance = () => read('vci/vc', '-n', 'platform-p-default');
  const reasonOf = async (reading: Promise<JsonValue>) =>
    textAt(
      listAt(await reading, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready'),
      'reason',
    );
  const waitForReason = async (reason: string, milliseconds: number) => {
    const poll = { timeout: milliseconds, interval: 200 };
    await expect.poll(() => reasonOf(instance()), poll).toBe(reason);
  };
  const place = (name: string) => join(edge.folder, name);
  /**
   * Stops the agent, moves its data directory to `kept`, and starts the agent again: with the data directory
   * `restored`, or with an empty one.
   */
  async function restartWithout(kept: string, restored?: string): Promise<void> {
    await edge.agent.stop();
    renameSync(place('agent'), place(kept));
    if (restored !== undefined) renameSync(place(restored), place('agent'));
    await edge.startAgent();
  }

  it('is reported by its cluster and its instances, which are not replaced by empty ones', async () => {
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc', edge.server.adminKey));
    await kubectl.ok(['create', 'configmap', 'precious', '-n', 'default']);
    await restartWithout('lost');
    await waitForReason('AgentDataLost', 20_000);
    await expect.poll(() => reasonOf(read('cluster/edge')), { timeout: 20_000 }).toBe('AgentDataLost');
    expect(textAt(await read('cluster/edge'), 'status', 'message')).toContain(
      'Restore the data directory of the agent',
    );
    expect(textAt(await instance(), 'status', 'message')).toMatch(/^It no longer exists on cluster "edge"\. The agent/);
    const events = await edge.admin.ok([
      'get',
      'events',
      '-n',
      'platform-p-default',
      '-o',
      'jsonpath={.items[*].reason}',
    ]);
    expect(events).toContain('AgentDataLost');
  });

  it('serves its instances again after the data directory was restored', async () => {
    await restartWithout('empty', 'lost');
    await waitForReason('Ready', 20_000);
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc', edge.server.adminKey));
    expect(await kubectl.ok(['get', 'configmaps', '-n', 'default', '-o', 'name'])).toContain('configmap/precious');
    await edge.admin.ok(['wait', 'cluster/edge', '--for=condition=Ready', '--timeout=60s']);
  });

  it('is used again after the lost instances were deleted', async () => {
    await restartWithout('old');
    await waitForReason('AgentDataLost', 20_000);
    await edge.admin.ok(['delete', 'vci/vc', '-n', 'platform-p-default', '--timeout=30s']);
    await edge.admin.ok(['wait', 'cluster/edge', '--for=condition=Ready', '--timeout=60s']);
    await edge.createInstance('vc');
  });
});

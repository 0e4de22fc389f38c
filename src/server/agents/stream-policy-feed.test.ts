import { expect, it } from 'vitest';
import type { PolicyLine } from '../../api/agent/policy-feed.ts';
import { openControlPlane } from '../../controlplane/control-plane.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openManagementTestEnv } from '../../management/management.fixture.ts';
import { managementResources } from '../../management/management-resources.ts';
import { defaultManagementSettings } from '../../management/settings.ts';
import { createManagementState } from '../../management/state.ts';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { streamPolicyFeed } from './stream-policy-feed.ts';

async function open() {
  const env = await openManagementTestEnv();
  const replica = interruptibleStore(env.store);
  const clock = new ManualClock();
  const settings = defaultManagementSettings;
  const state = createManagementState(settings.projects);
  const plane = await openControlPlane({
    id: 'management',
    store: replica.store,
    clock,
    log: silentLog,
    resources: managementResources({
      state,
      clock,
      sealer: env.sealer,
      activity: env.activity,
      notificationStates: env.notificationStates,
      mailPreferences: env.mailPreferences,
      webhookSender: env.webhookSender,
      settings,
      connect: undefined,
    }),
    mount: () => [],
    authorize: () => ({ allowed: true, reason: '' }),
    mayRead: () => undefined,
    onMaintenanceWork() {},
  });
  state.attach(plane.kinds);
  const feed = () =>
    streamPolicyFeed(
      'local',
      {
        kinds: plane.kinds,
        header: () => ({ installation: 'test', apiPrefix: 'kubernetes', serviceAccountTokens: true }),
        activeKey: () => undefined,
        onKeysChanged: () => () => {},
        signingKeys: { publicKeys: () => ({}), onChange: () => () => {} },
        clock,
      },
      new AbortController().signal,
    );
  return { env, replica, feed };
}

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PolicyLine);

const instanceNames = (lines: readonly PolicyLine[]) =>
  lines.flatMap((line) => {
    if (line.type !== 'OBJECT' || line.kind !== 'VirtualClusterInstance') return [];
    return [(line.object as { metadata: { name: string } }).metadata.name];
  });

it('a feed ends after changes were lost, and the next one has the complete policy', async () => {
  const { env, replica, feed } = await open();
  await env.create('virtualclusterinstances', 'one', {}, env.admin('default'));
  const stream = feed();
  const { value = '' } = await stream.next();
  expect(instanceNames(linesOf(value))).toEqual(['one']);
  replica.hold();
  await env.remove('virtualclusterinstances', 'one', 'default');
  await env.create('virtualclusterinstances', 'two', {}, env.admin('default'));
  replica.interrupt();
  for await (const _ of stream);
  const next = feed();
  const all = linesOf((await next.next()).value ?? '');
  expect([all[0]?.type, instanceNames(all), all.at(-1)?.type]).toEqual(['BEGIN', ['two'], 'SYNCED']);
  await next.return();
});

it('a feed contains the spaces of the cluster with the fields that decide about access, in lines of their own', async () => {
  const { env, feed } = await open();
  const objects = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hidden' } });
  const spec = { clusterRef: { cluster: 'local' }, template: { objects } };
  await env.create('spaceinstances', 'web', spec, env.admin('default'));
  const stream = feed();
  const { value = '' } = await stream.next();
  const [line] = linesOf(value).filter(({ type }) => type === 'SPACE');
  expect(line).toMatchObject({
    object: { metadata: { name: 'web' }, spec: { clusterRef: { cluster: 'local' }, template: {} } },
  });
  expect(value).not.toContain('hidden');
  expect(linesOf(value).some((each) => each.type === 'OBJECT' && each.kind === 'Project')).toBe(true);
  await env.remove('spaceinstances', 'web', 'default');
  const changes = linesOf((await stream.next()).value ?? '').map(({ type }) => type);
  expect(changes.some((type) => type === 'SPACE' || type === 'NO_SPACE')).toBe(true);
  await stream.return();
});

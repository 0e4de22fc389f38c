import { type JsonValue, textAt } from '@flotilla/json';
import { afterEach, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { openMemoryStore } from '../../../store/memory.ts';
import { twoReplicas } from '../../../store/replicas.fixture.ts';
import { openTestStore } from '../../../store/test-store.fixture.ts';
import { type CoreTestEnv, type CoreTestEnvOptions, dumpStoreAsText, openCoreTestEnv } from '../core.fixture.ts';

const name = 'kube-root-ca.crt';
const opened: CoreTestEnv[] = [];
afterEach(async () => {
  for (const env of opened.splice(0)) await env.close();
});

async function open(options: CoreTestEnvOptions = {}): Promise<CoreTestEnv> {
  const env = await openCoreTestEnv({ rootCertificates: 'first CA', ...options });
  opened.push(env);
  return env;
}

function authorityIn(env: CoreTestEnv, namespace: string): string {
  return textAt(env.peek('configmaps', name, namespace) as JsonValue | undefined, 'data', 'ca.crt');
}

it('the built-in namespaces have the ConfigMap without stored rows', async () => {
  const env = await open();
  for (const namespace of ['default', 'kube-public', 'kube-system']) {
    expect(authorityIn(env, namespace)).toBe('first CA');
  }
  expect(await dumpStoreAsText(env.store)).not.toContain(name);
});

it('a new namespace gets the ConfigMap', async () => {
  const env = await open();
  await env.create('namespaces', { metadata: { name: 'fresh' } }, '');
  await env.idle();
  expect(authorityIn(env, 'fresh')).toBe('first CA');
  expect(env.peek('configmaps', name, 'fresh')?.metadata.annotations).toHaveProperty(['kubernetes.io/description']);
});

it('a deleted ConfigMap is created again, in built-in namespaces too', async () => {
  const env = await open();
  await env.create('namespaces', { metadata: { name: 'fresh' } }, '');
  await env.idle();
  for (const namespace of ['fresh', 'default']) {
    const before = env.peek('configmaps', name, namespace)?.metadata.uid;
    await env.remove('configmaps', name, namespace);
    await env.idle();
    expect(authorityIn(env, namespace)).toBe('first CA');
    expect(env.peek('configmaps', name, namespace)?.metadata.uid).not.toBe(before);
  }
});

it('a changed ConfigMap is restored, and keeps other metadata', async () => {
  const env = await open();
  await env.create('namespaces', { metadata: { name: 'fresh' } }, '');
  await env.idle();
  for (const namespace of ['fresh', 'default']) {
    await env.update('configmaps', { metadata: { name, labels: { mine: 'yes' } }, data: { 'ca.crt': '' } }, namespace);
    await env.idle();
    expect(authorityIn(env, namespace)).toBe('first CA');
    expect(env.peek('configmaps', name, namespace)?.metadata.labels).toEqual({ mine: 'yes' });
  }
});

it('an immutable ConfigMap with other contents is restored when it is deleted', async () => {
  const env = await open();
  await env.update('configmaps', { metadata: { name }, data: { 'ca.crt': 'other' }, immutable: true });
  await env.idle();
  expect(authorityIn(env, 'default')).toBe('other');
  await env.remove('configmaps', name);
  await env.idle();
  expect(authorityIn(env, 'default')).toBe('first CA');
});

it('a ConfigMap of another name causes no work', async () => {
  const env = await open();
  await env.create('configmaps', { metadata: { name: 'mine' }, data: { 'ca.crt': 'other' } });
  await env.remove('configmaps', 'mine');
  await env.idle();
  expect(env.peek('configmaps', 'mine')).toBeUndefined();
});

it('the ConfigMap of a namespace that is deleted stays deleted', async () => {
  const env = await open();
  await env.create('namespaces', { metadata: { name: 'fresh' } }, '');
  await env.idle();
  await env.remove('namespaces', 'fresh', '');
  await env.idle();
  expect(env.peek('namespaces', 'fresh', '')).toBeUndefined();
  expect(env.peek('configmaps', name, 'fresh')).toBeUndefined();
});

it('a plane that is loaded with another CA has it in all namespaces', async () => {
  const clock = new ManualClock();
  const store = openTestStore({ clock });
  const first = await open({ clock, store });
  await first.create('namespaces', { metadata: { name: 'fresh' } }, '');
  await first.idle();
  await opened.pop()?.close();
  const second = await open({ clock, store, rootCertificates: 'second CA' });
  await second.runMaintenance();
  expect(authorityIn(second, 'fresh')).toBe('second CA');
  expect(authorityIn(second, 'default')).toBe('second CA');
});

it('namespaces of a plane that was served without the ConfigMaps get them', async () => {
  const clock = new ManualClock();
  const store = openTestStore({ clock });
  const first = await openCoreTestEnv({ clock, store });
  await first.create('namespaces', { metadata: { name: 'fresh' } }, '');
  await first.close();
  const second = await open({ clock, store });
  await second.runMaintenance();
  expect(authorityIn(second, 'fresh')).toBe('first CA');
});

it('only the replica that maintains the plane creates the ConfigMap', async () => {
  const clock = new ManualClock();
  const { current, delayed } = await twoReplicas(
    (store, index) => open({ store, clock, withoutMaintenance: index === 0 }),
    openMemoryStore({ clock }),
  );
  await current.create('namespaces', { metadata: { name: 'fresh' } }, '');
  expect(current.peek('configmaps', name, 'fresh')).toBeUndefined();
  await delayed.runMaintenance();
  expect(authorityIn(current, 'fresh')).toBe('first CA');
});

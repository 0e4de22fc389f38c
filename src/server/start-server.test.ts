import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Agent, type Dispatcher, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { managementGroup } from '../api/naming.ts';
import { type Clock, ManualClock, systemClock } from '../lib/clock.ts';
import { linesOf } from '../lib/lines.ts';
import { silentLog } from '../lib/log.ts';
import { backUp } from './back-up.ts';
import type { FlagValues } from './flags.ts';
import { readOptions } from './options.ts';
import { restore } from './restore.ts';
import { type RunningServer, startServer } from './start-server.ts';

let root: string;
let dataDir: string;
let running: RunningServer[];
let agents: Agent[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'server-'));
  dataDir = join(root, 'data');
  running = [];
  agents = [];
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.destroy()));
  await Promise.all(running.map((server) => server.close()));
  await rm(root, { recursive: true });
});

async function start(flags: FlagValues = {}, clock: Clock = systemClock): Promise<RunningServer> {
  const options = await readOptions({ 'data-dir': dataDir, listen: '127.0.0.1:0', ...flags });
  const server = await startServer(options, { clock, log: silentLog });
  running.push(server);
  return server;
}

async function stop(server: RunningServer): Promise<void> {
  running = running.filter((each) => each !== server);
  await server.close();
}

const file = (name: string): string => join(dataDir, name);
const read = (name: string): Promise<string> => readFile(file(name), 'utf8');
const adminKey = async (): Promise<string> => (await read('admin.key')).trim();
const group = `/kubernetes/management/apis/${managementGroup}/v1`;

interface Call {
  readonly method?: Dispatcher.HttpMethod;
  readonly token?: string;
  readonly body?: unknown;
  readonly type?: string;
}

async function open(server: RunningServer, path: string, call: Call = {}): Promise<Dispatcher.ResponseData> {
  const agent = new Agent({ connect: { ca: await read('ca.crt') } });
  agents.push(agent);
  const token = call.token ?? (await adminKey());
  return await request(`${server.url}${path}`, {
    dispatcher: agent,
    method: call.method ?? 'GET',
    headers: {
      'content-type': call.type ?? 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
}

interface Answer {
  readonly code: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of a server under test have any shape
  readonly json: any;
}

async function ask(server: RunningServer, path: string, call: Call = {}): Promise<Answer> {
  const response = await open(server, path, call);
  const text = await response.body.text();
  return { code: response.statusCode, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

async function everything(server: RunningServer): Promise<string[]> {
  const plurals = ['users', 'projects', 'clusters', 'virtualclustertemplates'];
  const lists = await Promise.all(plurals.map((plural) => ask(server, `${group}/${plural}`)));
  return lists.flatMap(({ json }) => json.items.map((item: unknown) => JSON.stringify(item)));
}

describe('the first start', () => {
  it('makes the files of completions §1, each for its owner alone', async () => {
    await start();
    expect((await readdir(dataDir)).sort()).toEqual([
      'admin.key',
      'admin.kubeconfig',
      'audit.log',
      'ca.crt',
      'ca.key',
      'installation.json',
      'seal.key',
      'serving.crt',
      'serving.key',
      'signing.key',
      'store',
    ]);
    for (const name of await readdir(dataDir)) {
      expect((await stat(file(name))).mode & 0o777, name).toBe(name === 'store' ? 0o700 : 0o600);
    }
  });

  it('makes the objects of completions §1, and the admin key opens them', async () => {
    const server = await start();
    const names = async (plural: string) =>
      (await ask(server, `${group}/${plural}`)).json.items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      );
    expect(await names('users')).toEqual(['admin']);
    expect(await names('projects')).toEqual(['default']);
    expect(await names('clusters')).toEqual(['local']);
    expect(await names('virtualclustertemplates')).toEqual(['control-plane']);
    expect((await ask(server, '/kubernetes/management/api/v1/namespaces/platform-p-default')).code).toBe(200);
  });
});

describe('a later start', () => {
  it('changes no object and no file but the address in admin.kubeconfig', async () => {
    const first = await start();
    const objects = await everything(first);
    const { metadata } = (await ask(first, `${group}/users/admin`)).json;
    await stop(first);
    const before = new Map<string, string>();
    for (const name of await readdir(dataDir)) if (name !== 'store') before.set(name, await read(name));

    const second = await start();
    expect(second.url).not.toBe(first.url);
    expect(await everything(second)).toEqual(objects);
    expect((await ask(second, `${group}/users/admin`)).json.metadata).toEqual(metadata);
    const config = before.get('admin.kubeconfig') ?? '';
    for (const [name, text] of before) {
      if (name === 'admin.kubeconfig') expect(await read(name)).toBe(config.replaceAll(first.url, second.url));
      else if (name !== 'audit.log') expect(await read(name), name).toBe(text);
    }
  });

  it('names the external URL in kubeconfigs once there is one', async () => {
    await stop(await start());
    const server = await start({ 'external-url': 'https://flotilla.test:9443', 'api-prefix': 'k' });
    expect(server.url).toBe('https://flotilla.test:9443');
    const config = load(await read('admin.kubeconfig')) as { clusters: { cluster: { server: string } }[] };
    expect(config.clusters.map(({ cluster }) => cluster.server)).toEqual([
      'https://flotilla.test:9443/k/management',
      'https://flotilla.test:9443/k/cluster/local',
    ]);
  });
});

describe('a start that cannot be', () => {
  it('says that the port is in use, and lets go of the data directory', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(start({ listen: `127.0.0.1:${port}` })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the port is in use by another process`,
    );
    other.close();
    await start();
  });

  it('says that the data directory is held', async () => {
    await start();
    await expect(start()).rejects.toThrow(/data directory .* is in use by another process/);
  });

  it('refuses the store of another installation', async () => {
    await stop(await start());
    const other = join(root, 'other');
    await stop(await start({ 'data-dir': other }));
    await rm(file('store'), { recursive: true });
    await cp(join(other, 'store'), file('store'), { recursive: true });
    await expect(start()).rejects.toThrow('the store belongs to another installation');
  });

  it('refuses a store whose seal key is missing or another one', async () => {
    await stop(await start());
    const key = await read('seal.key');
    await rm(file('seal.key'));
    await expect(start()).rejects.toThrow('the seal key of this store is not there');
    await writeFile(file('seal.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    await expect(start()).rejects.toThrow('is not the seal key of this store');
    await writeFile(file('seal.key'), key);
    await start();
  });

  it('refuses to serve from memory where there is a store', async () => {
    await stop(await start());
    await expect(start({ store: 'memory' })).rejects.toThrow('has a store of its own');
  });
});

describe('a server in memory', () => {
  it('begins anew at each start, with a key that works', async () => {
    const first = await start({ store: 'memory' });
    const key = await adminKey();
    await stop(first);
    const second = await start({ store: 'memory' });
    expect(await adminKey()).not.toBe(key);
    expect(await read('admin.kubeconfig')).toContain(await adminKey());
    expect((await ask(second, `${group}/users/admin`)).code).toBe(200);
    expect((await ask(second, `${group}/users/admin`, { token: key })).code).toBe(401);
  });
});

describe('the address space', () => {
  it('answers for the process itself without a key, and nothing else', async () => {
    const server = await start();
    const codes = async (token: string) => {
      const paths = [
        '/version',
        '/healthz',
        '/livez',
        '/readyz/shutdown',
        '/auth/jwks',
        '/metrics',
        '/backup',
        `${group}/users`,
      ];
      return await Promise.all(paths.map(async (path) => (await ask(server, path, { token })).code));
    };
    expect(await codes('')).toEqual([200, 200, 200, 200, 200, 401, 401, 401]);
    expect(await codes(await adminKey())).toEqual([200, 200, 200, 200, 200, 200, 200, 200]);
    expect((await ask(server, '/kubernetes/cluster/local/api')).code).toBe(501);
    expect((await ask(server, '/nowhere')).json).toMatchObject({ kind: 'Status', code: 404 });
    expect((await ask(server, '/auth/jwks')).text).not.toContain('"d"');
  });
});

async function makeKey(server: RunningServer, name: string, spec: Record<string, unknown>): Promise<string> {
  const answer = await ask(server, `${group}/ownedaccesskeys`, { method: 'POST', body: { metadata: { name }, spec } });
  expect(answer.code, answer.text).toBe(201);
  return answer.json.spec.key;
}

describe('rights', () => {
  it('refuse what only admins may, and status writes also to them', async () => {
    const server = await start();
    await ask(server, `${group}/users`, { method: 'POST', body: { metadata: { name: 'anna' }, spec: {} } });
    const token = await makeKey(server, 'annas', { user: 'anna' });
    for (const path of [`${group}/users`, `${group}/accesskeys`, '/metrics', '/backup']) {
      expect((await ask(server, path, { token })).code, path).toBe(403);
    }
    expect((await ask(server, `${group}/ownedaccesskeys/annas`, { token })).code).toBe(200);
    expect((await ask(server, `${group}/ownedaccesskeys/admin`, { token })).code).toBe(404);
    const patch = {
      method: 'PATCH',
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Failed' } },
    } as const;
    expect((await ask(server, `${group}/clusters/local/status`, patch)).code).toBe(403);
  });

  it('are not wider for a key with a scope than its scope', async () => {
    const server = await start();
    const token = await makeKey(server, 'narrow', { scope: { projects: [{ project: 'default' }] } });
    for (const path of [`${group}/users`, `${group}/ownedaccesskeys`, '/backup', '/metrics']) {
      expect((await ask(server, path, { token })).code, path).toBe(403);
    }
  });
});

/** Reads a watch until an event passes the test; rejects if the stream ends before. */
async function eventThat(response: Dispatcher.ResponseData, test: (event: Answer['json']) => boolean): Promise<void> {
  for await (const line of linesOf(response.body)) if (test(JSON.parse(line))) return;
  throw new Error('the watch ended before the event came');
}

describe('access keys', () => {
  const changes: [string, (server: RunningServer) => Promise<Answer>][] = [
    [
      'disabled',
      (server) =>
        ask(server, `${group}/accesskeys/mine`, {
          method: 'PATCH',
          type: 'application/merge-patch+json',
          body: { spec: { disabled: true } },
        }),
    ],
    ['deleted', (server) => ask(server, `${group}/accesskeys/mine`, { method: 'DELETE' })],
    [
      'given another value',
      (server) =>
        ask(server, `${group}/accesskeys/mine`, {
          method: 'PATCH',
          type: 'application/merge-patch+json',
          body: { spec: { key: 'another-value-0123456789-abcdefghij' } },
        }),
    ],
    [
      'left with a disabled user',
      (server) =>
        ask(server, `${group}/users/anna`, {
          method: 'PATCH',
          type: 'application/merge-patch+json',
          body: { spec: { disabled: true } },
        }),
    ],
  ];
  it.each(changes)('open nothing once they are %s, and their watches end', async (_, change) => {
    const server = await start();
    await ask(server, `${group}/users`, { method: 'POST', body: { metadata: { name: 'anna' }, spec: {} } });
    const token = await makeKey(server, 'mine', { user: 'anna' });
    const watch = await open(server, `${group}/ownedaccesskeys?watch=true`, { token });
    expect(watch.statusCode).toBe(200);
    const ended = watch.body.text();
    expect((await change(server)).code).toBe(200);
    await ended;
    expect((await ask(server, `${group}/ownedaccesskeys`, { token })).code).toBe(401);
  });

  it('show their first use inside a second', async () => {
    const clock = new ManualClock();
    const server = await start({}, clock);
    const token = await makeKey(server, 'mine', {});
    const watch = await open(server, `${group}/accesskeys?watch=true&fieldSelector=metadata.name%3Dmine`);
    await ask(server, '/kubernetes/management/version', { token });
    clock.advance(999);
    await eventThat(watch, ({ object }) => object.status?.lastActivity === '2026-01-01T00:00:00Z');
    await watch.body.dump({ limit: 0 }).catch(() => {});
  });

  it('appear nowhere in what the server keeps', async () => {
    const server = await start();
    const token = await makeKey(server, 'mine', {});
    await ask(server, `${group}/users?token=${token}`, { token });
    await stop(server);
    const texts = [await read('audit.log')];
    for (const name of await readdir(file('store'))) texts.push(await readFile(join(file('store'), name), 'latin1'));
    for (const text of texts) expect(text.includes(token)).toBe(false);
  });
});

describe('backup and restore', () => {
  it('carry everything over while the server runs, and the old key opens the new one', async () => {
    const server = await start();
    await ask(server, `${group}/users`, { method: 'POST', body: { metadata: { name: 'anna' }, spec: {} } });
    const objects = await everything(server);
    const key = await adminKey();
    const backup = join(root, 'all.backup');
    expect(await backUp(backup, dataDir)).toContain('The seal key is not part of a backup');
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    await expect(backUp(backup, dataDir)).rejects.toThrow('exists already');
    await stop(server);
    const offline = join(root, 'offline.backup');
    await backUp(offline, dataDir);

    await expect(restore(backup, dataDir)).rejects.toThrow('is not empty');
    const sealKey = file('seal.key');
    dataDir = join(root, 'restored');
    expect(await restore(backup, dataDir, sealKey)).toContain(`The seal key was put at ${file('seal.key')}`);
    await writeFile(file('admin.key'), `${key}\n`, { mode: 0o600 });
    const restored = await start();
    expect(await everything(restored)).toEqual(objects);
  });

  it('refuse another seal key and a file that is no backup, and leave nothing behind', async () => {
    await stop(await start());
    const backup = join(root, 'all.backup');
    await backUp(backup, dataDir);
    const other = join(root, 'other.key');
    await writeFile(other, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    const target = join(root, 'restored');
    await expect(restore(backup, target, other)).rejects.toThrow('is not the seal key of this store');
    expect(await readdir(target)).toEqual([]);
    await expect(restore(other, target)).rejects.toThrow('this is not a backup');
    await expect(restore(join(root, 'none'), target)).rejects.toThrow('does not exist');
    expect(await readdir(target)).toEqual([]);
    await expect(backUp(join(root, 'x'), join(root, 'nothing'))).rejects.toThrow('there is nothing to back up');
  });
});

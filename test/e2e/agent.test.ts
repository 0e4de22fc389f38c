import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edge, namespacesOf, openEdge } from '../harness/edge.ts';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeWith } from '../harness/suite.ts';

const program = new URL('../../bin/flotilla.js', import.meta.url).pathname;
const inVc = namespacesOf('vc');
const readable = '/kubernetes/project/default/virtualcluster/vc';

describeWith(kubectlMissing, 'the direct endpoint, with the centre gone in every way (issue 8, completions §6)', () => {
  let edge: Edge;
  let anna: string;
  let direct: string;

  beforeAll(async () => {
    edge = await openEdge();
    anna = await edge.person('anna');
    await edge.make('vc', ['anna']);
    direct = await edge.directToken(anna);
  });
  afterAll(() => edge.close());

  async function flotilla(...args: string[]): Promise<void> {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'exit');
    expect(code, args.join(' ')).toBe(0);
  }

  /** Asks again and again while something is done; all answers must be good. */
  async function whileAsking(tokenOf: () => Promise<string>, work: () => Promise<void>): Promise<number> {
    const codes: number[] = [];
    let over = false;
    const asking = Array.from({ length: 4 }, async () => {
      while (!over) codes.push((await edge.ask(inVc, await tokenOf())).code);
    });
    await work();
    over = true;
    await Promise.all(asking);
    expect(new Set(codes)).toEqual(new Set([200]));
    return codes.length;
  }

  it('is what the kubeconfig names, and kubectl works there', async () => {
    const file = await edge.kubeconfigOf('vc', anna);
    expect(readFileSync(file, 'utf8')).toContain(`${edge.agent.url}${readable}`);
    const kubectl = kubectlWith(file);
    await kubectl.ok(['create', 'configmap', 'from-anna', '--from-literal=a=b', '-n', 'default']);
    expect(await kubectl.ok(['get', 'configmaps', '-n', 'default', '-o', 'name'])).toContain('configmap/from-anna');
    expect(await kubectl.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('anna');
  });

  it('goes on when the centre is killed: requests, watches, a restart of the agent; keys wait for the centre', async () => {
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc', anna));
    expect((await edge.ask(inVc, anna)).code).toBe(200);
    await edge.centre.stop('SIGKILL');
    const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
    await watch.seen(/from-anna/);
    await kubectl.ok(['create', 'configmap', 'while-down', '-n', 'default']);
    await watch.seen(/while-down/);
    expect((await edge.ask(inVc, direct)).headers['flotilla-policy-age']).toMatch(/^\d+$/);
    await watch.stop();
    await edge.agent.stop('SIGKILL');
    await edge.startAgent();
    expect(await kubectl.ok(['get', 'configmaps', '-n', 'default', '-o', 'name'])).toContain('while-down');
    const refused = await edge.ask(inVc, anna);
    expect([refused.code, refused.text]).toEqual([503, expect.stringContaining('direct-endpoint token')]);
    expect((await edge.ask('/readyz', '')).code).toBe(200);
    await edge.startCentre();
    await edge.until(inVc, anna, 200);
    const lines = () =>
      readFileSync(join(edge.folder, 'centre', 'audit.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"agent":{') && line.includes('/configmaps?'))
        .map((line) => JSON.parse(line))
        .filter(({ stage, verb }) => stage === 'ResponseComplete' && verb === 'create');
    // The one of the test before, and the one that was made while nobody could be told of it.
    await expect.poll(lines, { timeout: 20_000 }).toHaveLength(2);
    expect(new Set(lines().map(({ auditID }) => auditID)).size).toBe(2);
    expect(lines()[1]).toMatchObject({ user: { username: 'anna' }, agent: { cluster: 'edge' } });
  });

  it('goes on when the centre hangs, and takes keys again when it does not', async () => {
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc', anna));
    const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
    await watch.seen(/from-anna/);
    process.kill(edge.centre.pid, 'SIGSTOP');
    try {
      const begin = performance.now();
      for (let round = 0; round < 20; round++) expect((await edge.ask(inVc, direct)).code).toBe(200);
      expect(performance.now() - begin).toBeLessThan(5_000);
      // By then the agent has noticed that nobody speaks to it any more.
      await edge.until(inVc, anna, 503);
      await kubectl.ok(['create', 'configmap', 'while-frozen', '-n', 'default']);
      await watch.seen(/while-frozen/);
    } finally {
      process.kill(edge.centre.pid, 'SIGCONT');
    }
    await edge.until(inVc, anna, 200);
    await watch.stop();
  });

  it('takes back what a key opened: inside a second while connected, and its streams end', async () => {
    const key = await edge.person('bert');
    await edge.make('berts', ['bert']);
    const token = await edge.directToken(key);
    await edge.until(namespacesOf('berts'), token, 200);
    const watch = edge
      .kubectl('/kubernetes/project/default/virtualcluster/berts', token)
      .follow(['get', 'ns', '--watch', '-o', 'name']);
    await watch.seen(/namespace\/default/);
    const ended = once(watch.child, 'exit');
    await edge.admin.ok(['delete', 'accesskey', 'berts']);
    expect(await edge.until(namespacesOf('berts'), token, 401)).toBeLessThan(1_000);
    await ended;
  });

  it('hears of a key that ended while it was away when the two meet again', async () => {
    const key = await edge.person('cleo');
    await edge.make('cleos', ['cleo']);
    const token = await edge.directToken(key);
    await edge.until(namespacesOf('cleos'), token, 200);
    await edge.agent.stop();
    await edge.admin.ok(['delete', 'accesskey', 'cleos']);
    await edge.centre.stop('SIGKILL');
    await edge.startAgent();
    expect((await edge.ask(namespacesOf('cleos'), token)).code).toBe(200);
    await edge.startCentre();
    await edge.until(namespacesOf('cleos'), token, 401);
    expect((await edge.ask(inVc, direct)).code).toBe(200);
  });

  it('refuses nobody while the installation gets another signing key, with older tokens and with brand-new ones', async () => {
    const asked = await whileAsking(
      async () => (Math.random() < 0.5 ? direct : await edge.directToken(anna)),
      async () => {
        await pause(100);
        await flotilla('rotate-signing-key', '--data-dir', join(edge.folder, 'centre'));
        await pause(300);
      },
    );
    expect(asked).toBeGreaterThan(10);
  });

  it('takes a new key of its own while it serves; the older one is of no use then', async () => {
    const before = readFileSync(edge.keyFile, 'utf8');
    const made = await edge.askCentre(
      '/kubernetes/management/apis/management.platform.sh/v1/clusters/edge/accesskey',
      edge.centre.adminKey,
      'POST',
      {},
    );
    const isOld = async () => (await edge.askCentre('/kubernetes/agent/edge/nothing', before)).code;
    expect(await isOld()).toBe(404);
    await whileAsking(
      async () => direct,
      async () => {
        writeFileSync(edge.keyFile, JSON.parse(made.text).accessKey, { mode: 0o600 });
        await expect.poll(isOld, { timeout: 15_000 }).toBe(401);
      },
    );
    await edge.until(inVc, anna, 200);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type Edge, namespacesOf, openEdge } from '../harness/network/edge.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const program = new URL('../../bin/flotilla.js', import.meta.url).pathname;
const inVc = namespacesOf('vc');
const readable = '/kubernetes/project/default/virtualcluster/vc';

describeIfAvailable(
  kubectlMissing,
  'the direct endpoint while the server is unavailable (issue 8, completions §6)',
  () => {
    let edge: Edge;
    let anna: string;
    let direct: string;

    beforeAll(async () => {
      edge = await openEdge();
      anna = await edge.createUser('anna');
      await edge.createInstance('vc', ['anna']);
      direct = await edge.directToken(anna);
    });
    afterAll(() => edge.close());

    async function flotilla(...args: string[]): Promise<void> {
      const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
      const [code] = await once(child, 'exit');
      expect(code, args.join(' ')).toBe(0);
    }

    /**
     * Sends requests continuously until `work` has finished. Every response must be 200. `work` receives a function
     * that waits for the given number of further responses.
     */
    async function whileSendingRequests(
      tokenOf: () => Promise<string>,
      work: (responses: (count: number) => Promise<void>) => Promise<void>,
    ): Promise<void> {
      const codes: number[] = [];
      let done = false;
      const senders = Array.from({ length: 4 }, async () => {
        while (!done) codes.push((await edge.request(inVc, await tokenOf())).code);
      });
      await work(async (count) => {
        const target = codes.length + count;
        await expect.poll(() => codes.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(target);
      });
      done = true;
      await Promise.all(senders);
      expect(new Set(codes)).toEqual(new Set([200]));
    }

    it('is the server of the kubeconfig, and kubectl works there', async () => {
      const file = await edge.kubeconfigOf('vc', anna);
      expect(readFileSync(file, 'utf8')).toContain(`${edge.agent.url}${readable}`);
      const kubectl = kubectlWith(file);
      await kubectl.ok(['create', 'configmap', 'from-anna', '--from-literal=a=b', '-n', 'default']);
      expect(await kubectl.ok(['get', 'configmaps', '-n', 'default', '-o', 'name'])).toContain('configmap/from-anna');
      expect(await kubectl.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('anna');
    });

    it('keeps serving when the server is killed: requests, watches, an agent restart; access keys need the server', async () => {
      const kubectl = kubectlWith(await edge.kubeconfigOf('vc', anna));
      expect((await edge.request(inVc, anna)).code).toBe(200);
      await edge.server.stop('SIGKILL');
      const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
      await watch.waitForOutput(/from-anna/);
      await kubectl.ok(['create', 'configmap', 'while-down', '-n', 'default']);
      await watch.waitForOutput(/while-down/);
      expect((await edge.request(inVc, direct)).headers['flotilla-policy-age']).toMatch(/^\d+$/);
      await watch.stop();
      await edge.agent.stop('SIGKILL');
      await edge.startAgent();
      expect(await kubectl.ok(['get', 'configmaps', '-n', 'default', '-o', 'name'])).toContain('while-down');
      const refused = await edge.request(inVc, anna);
      expect([refused.code, refused.text]).toEqual([503, expect.stringContaining('direct-endpoint token')]);
      expect((await edge.request('/readyz', '')).code).toBe(200);
      await edge.startServer();
      await edge.waitForStatus(inVc, anna, 200);
      const lines = () =>
        readFileSync(join(edge.folder, 'server', 'audit.log'), 'utf8')
          .split('\n')
          .filter((line) => line.includes('"agent":{') && line.includes('/configmaps?'))
          .map((line) => JSON.parse(line))
          .filter(({ stage, verb }) => stage === 'ResponseComplete' && verb === 'create');
      // Two audited creates: the one of the previous test, and the one that the agent could not report while the server
      // was down.
      await expect.poll(lines, { timeout: 20_000 }).toHaveLength(2);
      expect(new Set(lines().map(({ auditID }) => auditID)).size).toBe(2);
      expect(lines()[1]).toMatchObject({ user: { username: 'anna' }, agent: { cluster: 'edge' } });
    });

    it('keeps serving when the server hangs, and accepts access keys again when it resumes', async () => {
      const kubectl = kubectlWith(await edge.kubeconfigOf('vc', anna));
      const watch = kubectl.follow(['get', 'configmaps', '-n', 'default', '--watch', '-o', 'name']);
      await watch.waitForOutput(/from-anna/);
      process.kill(edge.server.pid, 'SIGSTOP');
      try {
        const begin = performance.now();
        for (let round = 0; round < 20; round++) expect((await edge.request(inVc, direct)).code).toBe(200);
        expect(performance.now() - begin).toBeLessThan(5_000);
        // The agent has now had time to detect that its connection to the server is dead.
        await edge.waitForStatus(inVc, anna, 503);
        await kubectl.ok(['create', 'configmap', 'while-frozen', '-n', 'default']);
        await watch.waitForOutput(/while-frozen/);
      } finally {
        process.kill(edge.server.pid, 'SIGCONT');
      }
      await edge.waitForStatus(inVc, anna, 200);
      await watch.stop();
    });

    it('revokes the access of a deleted key within a second while connected, and ends its streams', async () => {
      const key = await edge.createUser('bert');
      await edge.createInstance('berts', ['bert']);
      const token = await edge.directToken(key);
      await edge.waitForStatus(namespacesOf('berts'), token, 200);
      const watch = edge
        .kubectl('/kubernetes/project/default/virtualcluster/berts', token)
        .follow(['get', 'ns', '--watch', '-o', 'name']);
      await watch.waitForOutput(/namespace\/default/);
      const ended = once(watch.child, 'exit');
      await edge.admin.ok(['delete', 'accesskey', 'berts']);
      expect(await edge.waitForStatus(namespacesOf('berts'), token, 401)).toBeLessThan(1_000);
      await ended;
    });

    it('learns of a key that was deleted while the agent was down when it reconnects', async () => {
      const key = await edge.createUser('cleo');
      await edge.createInstance('cleos', ['cleo']);
      const token = await edge.directToken(key);
      await edge.waitForStatus(namespacesOf('cleos'), token, 200);
      await edge.agent.stop();
      await edge.admin.ok(['delete', 'accesskey', 'cleos']);
      await edge.server.stop('SIGKILL');
      await edge.startAgent();
      expect((await edge.request(namespacesOf('cleos'), token)).code).toBe(200);
      await edge.startServer();
      await edge.waitForStatus(namespacesOf('cleos'), token, 401);
      expect((await edge.request(inVc, direct)).code).toBe(200);
    });

    it('refuses no request during a signing key rotation, neither with older tokens nor with new ones', async () => {
      const signingKeyOf = (token: string) => decodeProtectedHeader(token).kid;
      await whileSendingRequests(
        async () => (Math.random() < 0.5 ? direct : await edge.directToken(anna)),
        async (responses) => {
          await responses(10);
          await flotilla('rotate-signing-key', '--data-dir', join(edge.folder, 'server'));
          const newest = async () => signingKeyOf(await edge.directToken(anna));
          await expect.poll(newest, { timeout: 20_000 }).not.toBe(signingKeyOf(direct));
          await responses(20);
        },
      );
    });

    it('accepts a new key of its own while it serves; the old key is invalid afterwards', async () => {
      const before = readFileSync(edge.keyFile, 'utf8');
      const made = await edge.requestServer(
        '/kubernetes/management/apis/management.platform.sh/v1/clusters/edge/accesskey',
        edge.server.adminKey,
        'POST',
        {},
      );
      const isOld = async () => (await edge.requestServer('/kubernetes/agent/edge/nothing', before)).code;
      expect(await isOld()).toBe(404);
      await whileSendingRequests(
        async () => direct,
        async () => {
          writeFileSync(edge.keyFile, JSON.parse(made.text).accessKey, { mode: 0o600 });
          await expect.poll(isOld, { timeout: 15_000 }).toBe(401);
        },
      );
      await edge.waitForStatus(inVc, anna, 200);
    });
  },
);

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isEtcdRun } from '../harness/etcd/worker-etcd.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const group = 'management.platform.sh';
const program = new URL('../../bin/flotilla.js', import.meta.url).pathname;
const run = promisify(execFile);

describeIfAvailable(kubectlMissing, 'kubectl, tokens and logins', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;
  let agent: Agent;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    kubectl = kubectlWith(flotilla.kubeconfig);
    agent = new Agent({ connect: { ca: readFileSync(join(flotilla.dataDirectory, 'ca.crt')) } });
  });
  afterAll(async () => {
    await agent.destroy();
    await flotilla.remove();
  });

  const rotate = (...args: string[]) =>
    run(process.execPath, [program, 'rotate-signing-key', '--data-dir', flotilla.dataDirectory, ...args]);
  const publicKeys = async () => {
    const { body } = await request(`${flotilla.url}/auth/jwks`, { dispatcher: agent });
    return (await body.json()) as JSONWebKeySet;
  };
  const makeToken = () =>
    kubectl.ok(['create', '-f', '-', '-o', 'jsonpath={.status.token}'], {
      input: `apiVersion: ${group}/v1\nkind: DirectClusterEndpointToken\nspec: {}\n`,
    });
  const isGood = async (token: string) => {
    const keys = createLocalJWKSet(await publicKeys());
    return await jwtVerify(token, keys, { audience: 'direct-cluster-endpoint' }).then(
      () => true,
      () => false,
    );
  };

  it('creates tokens, whose signing key is replaced while the server runs and while it is stopped', async () => {
    const first = await makeToken();
    const { stdout, stderr } = await rotate();
    expect(stdout).toContain(`signed with key ${(await publicKeys()).keys[0]?.kid}`);
    expect(stderr).toBe('');
    const second = await makeToken();
    await flotilla.stop();
    // If the store is on etcd, the signing key can be replaced only by a running server.
    if (!isEtcdRun) await rotate();
    flotilla = await flotilla.restart();
    kubectl = kubectlWith(flotilla.kubeconfig);
    expect((await publicKeys()).keys).toHaveLength(isEtcdRun ? 2 : 3);
    for (const token of [first, second, await makeToken()]) expect(await isGood(token)).toBe(true);
    expect((await rotate('--revoke')).stdout).toContain('revoked');
    expect(await isGood(first)).toBe(false);
    expect(await isGood(await makeToken())).toBe(true);
    expect(flotilla.output()).not.toContain(first.split('.')[2]);
  });

  it('validates a token manifest client-side, as for other create-only kinds (KUBECTL-30)', async () => {
    const wrong = await kubectl.run(['create', '-f', '-'], {
      input: `apiVersion: ${group}/v1\nkind: DirectClusterEndpointToken\nspec:\n  tll: 5\n`,
    });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/unknown field "tll"/);
    const review = await kubectl.ok(['create', '-f', '-', '-o', 'jsonpath={.status.allowed}'], {
      input: JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'list', group, resource: 'users' } },
      }),
    });
    expect(review).toBe('true');
  });

  it('reports in one line on standard error why a key cannot be replaced', async () => {
    const nowhere = join(flotilla.dataDirectory, 'nowhere');
    const failed = run(process.execPath, [program, 'rotate-signing-key', '--data-dir', nowhere]);
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: `flotilla: no signing key in ${nowhere}\n`,
    });
  });

  it('works with the key of a login until the logout', async () => {
    await kubectl.ok(['create', '-f', '-'], {
      input: `apiVersion: ${group}/v1\nkind: User\nmetadata:\n  name: anna\nspec:\n  password: correct horse\n`,
    });
    const post = (path: string, body?: object, token?: string) =>
      request(`${flotilla.url}${path}`, {
        dispatcher: agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const login = await post('/auth/password/login', { username: 'anna', password: 'correct horse' });
    expect(login.statusCode).toBe(201);
    const { accessKey } = (await login.body.json()) as { accessKey: string };
    const whoAmI = () =>
      kubectl.run(['--token', accessKey, '--server', `${flotilla.url}/kubernetes/management`, 'auth', 'whoami']);
    expect((await whoAmI()).stdout).toMatch(/Username +anna/);
    expect(await kubectl.ok(['get', 'accesskeys'])).toMatch(/^login-\S+ .*Login +Active/m);
    const logout = await post('/auth/logout', undefined, accessKey);
    expect(logout.statusCode).toBe(200);
    await logout.body.dump();
    expect((await whoAmI()).stderr).toMatch(/Unauthorized|must be logged in/);
    expect(flotilla.output()).not.toContain(accessKey);
    expect(flotilla.output()).not.toContain('horse');
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutCreator } from '../../src/server/token-without-creator.fixture.ts';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';

describe('flotilla user offboard', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  let dispatcher: Agent;

  beforeAll(async () => {
    home = cliHome({ KUBECONFIG: '' });
    flotilla = await startFlotilla();
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    dispatcher = new Agent({ connect: { ca: readFileSync(ca) } });
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
    await home.ok(['create', 'demo', '--wait']);
  });
  afterAll(async () => {
    home.remove();
    await dispatcher.destroy();
    await flotilla.remove();
  });

  const inside = (path: string, token: string, post?: object) =>
    request(`${flotilla.url}/kubernetes/project/default/virtualcluster/demo${path}`, {
      dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(post === undefined ? {} : { method: 'POST', body: JSON.stringify(post) }),
    });

  it('names tokens without a creator, and revokes them with --revoke-unattributed (decision 56)', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const { body } = await inside(account, flotilla.adminKey, { spec: {} });
    const { status } = (await body.json()) as { status: { token: string } };
    const token = await withoutCreator(status.token, readFileSync(join(flotilla.dataDirectory, 'signing.key'), 'utf8'));
    const codeOfToken = async () => {
      const response = await inside('/version', token);
      await response.body.dump();
      return response.statusCode;
    };
    expect(await codeOfToken()).toBe(200);

    const offboard = (name: string, ...options: string[]) => home.ok(['user', 'offboard', name, ...options]);
    const planned = (action: string) => new RegExp(`^${action} +VirtualClusterInstance +default/demo `, 'm');
    const kept = 'service account tokens without a known creator in 1 virtual cluster are kept; ';
    for (const name of ['anna', 'bert']) {
      await home.ok(['user', 'create', name]);
      await home.ok(['share', 'demo', '--user', name]);
    }

    const tried = await offboard('anna', '--dry-run');
    expect(tried).toMatch(planned('Keep'));
    expect(tried).toContain(`${kept}to revoke them too, use --revoke-unattributed\n`);
    const without = await offboard('anna');
    expect(without).toMatch(planned('Keep'));
    expect(without).toContain(`${kept}revoke them with the commands in the lines above\n`);
    expect(await codeOfToken()).toBe(200);

    const triedToRevoke = await offboard('bert', '--revoke-unattributed', '--dry-run');
    expect(triedToRevoke).toMatch(planned('Revoke'));
    expect(triedToRevoke).not.toContain('are kept');
    expect(await codeOfToken()).toBe(200);
    const done = await offboard('bert', '--revoke-unattributed');
    expect(done).toMatch(planned('Revoke'));
    expect(done).not.toContain('are kept');
    expect(await codeOfToken()).toBe(401);
  });
});

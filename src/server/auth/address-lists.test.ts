import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupPath, mergePatch, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start(await bench.settings({ server: { trustedProxies: ['127.0.0.1'], hstsSeconds: 60 } }));
  await bench.createObject(server, 'users', 'anna', { password: 'correct horse' });
});
afterEach(() => bench.close());

/** Sends a request as a client with this address. */
async function from(address: string, token: string, path = `${groupPath}/ownedaccesskeys`) {
  const response = await bench.request(server, path, { token }, { 'x-forwarded-for': address });
  return { code: response.statusCode, text: await response.body.text(), headers: response.headers };
}
const change = async (path: string, spec: object) => {
  const answer = await bench.send(server, `${groupPath}/${path}`, mergePatch({ spec: { ...spec } }));
  expect(answer.code, answer.text).toBe(200);
};

describe('spec.allowedCIDRs', () => {
  it('of a key lets it be used only from there, also at the gateway, and for the keys that it creates', async () => {
    const token = await bench.createKey(server, 'ci', {
      user: 'anna',
      allowedCIDRs: ['198.51.100.0/24', '2001:db8::/32'],
    });
    expect((await from('198.51.100.7', token)).code).toBe(200);
    expect((await from('2001:db8::7', token)).code).toBe(200);
    const refused = await from('203.0.113.9', token);
    expect([refused.code, refused.text]).toEqual([403, expect.stringContaining('from the address 203.0.113.9')]);
    const gateway = await from('203.0.113.9', token, '/kubernetes/cluster/local/api/v1/namespaces');
    expect([gateway.code, gateway.text]).toEqual([403, expect.stringContaining('from the address 203.0.113.9')]);
    expect((await from('198.51.100.7, 203.0.113.9', token)).code, 'a claimed address').toBe(403);
    expect((await from('198.51.100.7:4711', token)).code, 'an address with a port').toBe(200);
    const made = await bench.request(
      server,
      `${groupPath}/ownedaccesskeys`,
      { method: 'POST', token, body: { metadata: { name: 'child' } } },
      { 'x-forwarded-for': '198.51.100.7' },
    );
    const child = textAt(JSON.parse(await made.body.text()), 'spec', 'key');
    expect((await from('198.51.100.7', child)).code).toBe(200);
    expect((await from('203.0.113.9', child)).code).toBe(403);
    expect(await bench.read('audit.log')).toContain('203.0.113.9');
  });

  it('that contains a proxy does not allow all clients of the proxy', async () => {
    const token = await bench.createKey(server, 'local', { user: 'anna', allowedCIDRs: ['127.0.0.0/8'] });
    expect((await from('127.0.0.2', token)).code).toBe(200);
    const longHeader = `${'127.0.0.1, '.repeat(400)}203.0.113.9`;
    for (const header of [longHeader, '203.0.113.9:4711', 'unknown']) {
      expect((await from(header, token)).code, header).toBe(403);
    }
    expect((await from('unknown', token)).text).toContain('which X-Forwarded-For does not name');
  });

  it('of a user applies to all keys and to logins of the user', async () => {
    const token = await bench.createKey(server, 'mine', { user: 'anna' });
    await change('users/anna', { allowedCIDRs: ['198.51.100.0/24'] });
    expect((await from('198.51.100.7', token)).code).toBe(200);
    expect((await from('203.0.113.9', token)).code).toBe(403);
    const logIn = async (address: string) =>
      (
        await bench.request(
          server,
          '/auth/password/login',
          { method: 'POST', token: '', body: { username: 'anna', password: 'correct horse' } },
          { 'x-forwarded-for': address },
        )
      ).statusCode;
    expect([await logIn('198.51.100.7'), await logIn('203.0.113.9')]).toEqual([201, 401]);
  });

  it('of a user applies to the keys of a team that the user created, and ends their watches', async () => {
    await bench.createObject(server, 'teams', 'red', { users: ['anna'] });
    const login = await bench.send(server, '/auth/password/login', {
      method: 'POST',
      token: '',
      body: { username: 'anna', password: 'correct horse' },
    });
    const made = await bench.request(
      server,
      `${groupPath}/ownedaccesskeys`,
      {
        method: 'POST',
        token: textAt(login.json, 'accessKey'),
        body: { metadata: { name: 'of-red' }, spec: { team: 'red' } },
      },
      { 'x-forwarded-for': '203.0.113.9' },
    );
    const token = textAt(JSON.parse(await made.body.text()), 'spec', 'key');
    const byAdmin = await bench.createKey(server, 'also-of-red', { team: 'red' });
    const watch = await bench.request(
      server,
      `${groupPath}/ownedaccesskeys?watch=true`,
      { token },
      { 'x-forwarded-for': '203.0.113.9' },
    );
    expect(watch.statusCode).toBe(200);
    const ended = watch.body.text();
    await change('users/anna', { allowedCIDRs: ['198.51.100.0/24'] });
    await ended;
    expect((await from('203.0.113.9', token)).code).toBe(403);
    expect((await from('198.51.100.7', token)).code).toBe(200);
    expect((await from('203.0.113.9', byAdmin)).code).toBe(200);
  });

  it('ends open watches when it changes', async () => {
    const token = await bench.createKey(server, 'mine', { user: 'anna', allowedCIDRs: ['203.0.113.0/24'] });
    const watch = await bench.request(
      server,
      `${groupPath}/ownedaccesskeys?watch=true`,
      { token },
      { 'x-forwarded-for': '203.0.113.9' },
    );
    expect(watch.statusCode).toBe(200);
    const ended = watch.body.text();
    await change('accesskeys/mine', { allowedCIDRs: ['198.51.100.0/24'] });
    await ended;
    expect((await from('203.0.113.9', token)).code).toBe(403);
  });

  it('must consist of address ranges', async () => {
    const body = { metadata: { name: 'x' }, spec: { allowedCIDRs: ['10.0.0.0/8', 'office'] } };
    for (const plural of ['ownedaccesskeys', 'users']) {
      const refused = await bench.send(server, `${groupPath}/${plural}`, { method: 'POST', body });
      expect([refused.code, refused.text]).toEqual([422, expect.stringContaining('spec.allowedCIDRs[1]')]);
    }
  });
});

describe('responses', () => {
  it('tell browsers to use only TLS if hstsSeconds is set, and have no CORS headers (HDR-07)', async () => {
    const { headers } = await from('203.0.113.9', await bench.adminKey());
    expect(headers['strict-transport-security']).toBe('max-age=60');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    await bench.stop(server);
    server = await bench.start();
    const byDefault = await from('203.0.113.9', await bench.adminKey());
    expect(byDefault.headers).not.toHaveProperty('strict-transport-security');
  });
});

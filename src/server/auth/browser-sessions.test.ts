import { once } from 'node:events';
import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2';
import { connect } from 'node:tls';
import { objectAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consoleProtocol } from '../../api/console-protocol.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { Browser, cookieName, type HeaderChanges } from './browser.fixture.ts';

const password = 'correct horse battery';
const projects = `${groupPath}/projects`;
const local = '/kubernetes/cluster/local/api/v1/namespaces';

let bench: ServerTestEnv;
let server: RunningServer;
let browser: Browser;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
  browser = new Browser(bench, server);
  await bench.createObject(server, 'users', 'anna', { password });
});
afterEach(() => bench.close());

const asAnna = () => browser.signIn({ username: 'anna', password });
const asAdmin = async () => browser.signIn({ accessKey: await bench.adminKey() });
const cookie = () => `${cookieName}=${browser.cookie}`;

/** The raw response of the server to a raw request. */
async function raw(text: string): Promise<string> {
  const { port, hostname: host } = new URL(server.url);
  const socket = connect({ port: Number(port), host, ca: await bench.read('ca.crt') });
  let said = '';
  socket.on('data', (chunk) => (said += chunk)).on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(text);
  await once(socket, 'close');
  return said;
}

async function overHttp2(headers: OutgoingHttpHeaders): Promise<{ code: number; text: string }> {
  const session = connectHttp2(server.url, { ca: await bench.read('ca.crt') });
  try {
    const stream = session.request(headers);
    let text = '';
    stream.on('data', (chunk) => (text += chunk));
    const [answer] = await once(stream, 'response');
    await once(stream, 'close');
    return { code: Number(answer[':status']), text };
  } finally {
    session.close();
  }
}

describe('a session cookie', () => {
  it('authenticates requests of the console like its access key', async () => {
    await asAdmin();
    expect((await browser.send(projects)).code).toBe(200);
    const made = await browser.send(projects, { method: 'POST', body: { metadata: { name: 'new' } } });
    expect(made.code, made.text).toBe(201);
    const patched = await browser.send(`${projects}/new`, mergePatch({ spec: { displayName: 'New' } }));
    expect(patched.code).toBe(200);
    expect((await browser.send(local)).code).toBe(200);
    expect((await browser.send('/metrics')).code).toBe(200);
    expect((await browser.send(`${projects}/new`, { method: 'DELETE' })).code).toBe(200);
  });

  it('is rejected with 403 without complete proof of origin, and the message names what is missing', async () => {
    await asAdmin();
    const reads: readonly [HeaderChanges, RegExp][] = [
      [{ 'x-flotilla-console': null }, /"X-Flotilla-Console: 1" is missing/],
      [{ 'x-flotilla-console': null, 'sec-fetch-site': 'none' }, /is missing, the header "Sec-Fetch-Site" is not/],
      [{ 'sec-fetch-site': 'same-site' }, /"Sec-Fetch-Site" is not "same-origin"/],
      [{ 'sec-fetch-site': 'cross-site' }, /"Sec-Fetch-Site"/],
      [{ origin: 'https://evil.test' }, /"Origin" is not the origin of this server/],
    ];
    const writes: readonly [HeaderChanges, RegExp][] = [...reads, [{ origin: null }, /"Origin" is missing/]];
    for (const path of [projects, local, '/metrics', '/backup', '/auth/logout', '/kubernetes/project/x']) {
      for (const [changes, said] of path === projects ? writes : reads) {
        const isWrite = path === projects;
        const call = isWrite ? ({ method: 'POST', body: { metadata: { name: 'evil' } } } as const) : {};
        const { code, json, headers } = await browser.send(path, call, changes);
        expect([code, json.reason], `${path} ${JSON.stringify(changes)}`).toEqual([403, 'Forbidden']);
        expect(json.message).toMatch(said);
        expect(headers['x-content-type-options']).toBe('nosniff');
      }
    }
    expect(await bench.names(server, 'projects')).not.toContain('evil');
  });

  it('that is invalid is ignored, whatever proof there is', async () => {
    await asAnna();
    const good = browser.cookie;
    const key = await bench.createKey(server, 'mine', { user: 'anna' });
    const admin = await bench.adminKey();
    for (const value of [
      `${good}; ${cookieName}=${good}`,
      `${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`,
      // An ordinary access key is not accepted as a cookie: an attacker could plant their own key in a victim's
      // browser.
      key,
      admin,
      `"${good}"`,
      'flk_',
      '',
    ]) {
      for (const changes of [{}, { 'x-flotilla-console': null }]) {
        const { code } = await browser.send(projects, {}, { cookie: `${cookieName}=${value}`, ...changes });
        expect(code, value.slice(0, 8)).toBe(401);
      }
    }
    const others = Array.from({ length: 500 }, (_, index) => `c${index}=${'x'.repeat(60)}`).join('; ');
    expect((await browser.send(projects, {}, { cookie: `${others}; ${cookieName}=${good}` })).code).toBe(200);
  });

  it('is ignored if there is an Authorization header, valid or not', async () => {
    await asAnna();
    const admin = await bench.adminKey();
    const bearer = await browser.self(groupPath, { authorization: `Bearer ${admin}` });
    expect(textAt(bearer.status, 'user', 'name')).toBe('admin');
    for (const authorization of ['Bearer wrong', 'Bearer', 'Basic YTpi', '']) {
      expect((await browser.send(projects, {}, { authorization })).code, authorization).toBe(401);
    }
  });

  it('does not allow other protocol upgrades', async () => {
    await asAdmin();
    const { host } = new URL(server.url);
    const begin = `Host: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nCookie: ${cookie()}\r\n`;
    const proof = `X-Flotilla-Console: 1\r\nSec-Fetch-Site: same-origin\r\nOrigin: ${server.url}\r\n`;
    for (const path of [`${projects}?watch=true`, `${local}?watch=true`]) {
      for (const headers of [proof, '']) {
        const said = await raw(`GET ${path} HTTP/1.1\r\n${begin}${headers}\r\n`);
        expect(said).toMatch(/^HTTP\/1\.1 403 /);
        expect(said).toContain('it requests a protocol upgrade');
      }
    }
    const posted = await raw(`POST /auth/session HTTP/1.1\r\n${begin}${proof}\r\n`);
    expect(posted).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('allows a WebSocket to exec and attach only, to a page of this server that names its login', async () => {
    const { accessKey } = await asAdmin();
    const { host } = new URL(server.url);
    const pods = '/kubernetes/cluster/local/api/v1/namespaces/default/pods';
    const statusOf = async (path: string, changes: HeaderChanges = {}) => {
      const headers = {
        Host: host,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'Sec-WebSocket-Protocol': `v5.channel.k8s.io, ${consoleProtocol(String(accessKey))}`,
        Origin: server.url,
        Cookie: cookie(),
        ...changes,
      };
      const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
      const said = await raw(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      return /^HTTP\/1\.1 (\d+)/.exec(said)?.[1];
    };
    // The built-in cluster has no pods, so an authorized request gets 404.
    expect(await statusOf(`${pods}/web/exec?command=sh`)).toBe('404');
    expect(await statusOf(`${pods}/web/attach`)).toBe('404');
    expect(await statusOf(`${pods}/web/portforward`)).toBe('403');
    expect(await statusOf(`${projects}?watch=true`)).toBe('403');
    for (const changes of [
      { Origin: null },
      { Origin: 'https://evil.test' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-WebSocket-Protocol': 'v5.channel.k8s.io' },
      { 'Sec-WebSocket-Protocol': consoleProtocol('login-of-another') },
    ])
      expect(await statusOf(`${pods}/web/exec`, changes), JSON.stringify(changes)).toBe('403');
    expect(await statusOf(`${pods}/web/exec`, { Cookie: null })).toBe('401');
  });

  it('works over HTTP/2, where it may be split into several headers and :authority names the host', async () => {
    await asAdmin();
    const { host } = new URL(server.url);
    const asked = { ':path': projects, 'x-flotilla-console': '1', 'sec-fetch-site': 'same-origin' };
    expect((await overHttp2({ ...asked, cookie: cookie() })).code).toBe(200);
    expect((await overHttp2({ ...asked, cookie: ['a=b', cookie(), 'c=d'] })).code).toBe(200);
    expect((await overHttp2({ ...asked, cookie: [cookie(), cookie()] })).code).toBe(401);
    const review = { ...asked, ':path': `${groupPath}/selves`, ':method': 'DELETE', cookie: cookie() };
    const proved = async (more: OutgoingHttpHeaders) => (await overHttp2({ ...review, ...more })).code;
    // These paths do not allow DELETE. The 405 shows that the authentication was successful, which is all that matters
    // here.
    expect(await proved({ origin: server.url })).toBe(405);
    expect(await proved({})).toBe(403);
    expect(await proved({ origin: 'https://evil.test' })).toBe(403);
    expect(await proved({ origin: 'https://evil.test', ':authority': host, host: 'evil.test' })).toBe(403);
    expect(await proved({ origin: server.url, ':authority': host, host: 'evil.test' })).toBe(405);
  });

  it('is rejected for a page that names another login', async () => {
    const { accessKey } = await asAnna();
    const named = (name: string) => browser.send(projects, {}, { 'x-flotilla-session': name });
    expect((await named(String(accessKey))).code).toBe(200);
    expect((await named('login-of-another')).code).toBe(401);
    expect((await named('')).code).toBe(401);
    // Requests from outdated pages do not count as login guesses, so they cause no backoff.
    for (let index = 0; index < 22; index++) await named('login-of-before');
    expect((await new Browser(bench, server).send(projects)).code).toBe(401);
    expect((await named(String(accessKey))).code).toBe(200);
  });

  it('allows impersonation exactly where its key does', async () => {
    await asAnna();
    const asBob = { 'impersonate-user': 'bob' };
    expect((await browser.send(projects, {}, asBob)).code).toBe(403);
    await asAdmin();
    expect((await browser.send(projects, {}, asBob)).code).toBe(200);
    const { json } = await browser.send(
      '/kubernetes/management/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { method: 'POST', body: {} },
      asBob,
    );
    expect(textAt(objectAt(json, 'status'), 'userInfo', 'username')).toBe('bob');
    expect((await browser.send(projects, {}, { ...asBob, 'x-flotilla-console': null })).code).toBe(403);
  });

  it('gets responses that browsers neither sniff nor cache', async () => {
    await asAdmin();
    for (const path of [projects, `${projects}/none`, local, '/metrics', `${groupPath}`]) {
      const { headers } = await browser.send(path);
      expect(headers['x-content-type-options'], path).toBe('nosniff');
      expect(headers['cache-control'], path).toMatch(/no-store|no-cache, private/);
    }
    expect((await browser.send(projects)).headers['cache-control']).toBe('no-store');
    const byKey = await bench.request(server, projects);
    await byKey.body.dump();
    expect(byKey.headers['cache-control']).toBe('no-cache, private');
  });

  it('that is rejected is audited with its owner', async () => {
    const { accessKey } = await asAnna();
    await browser.send(projects, {}, { 'x-flotilla-console': null });
    const lines = (await bench.read('audit.log')).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      user: { username: 'anna' },
      accessKey,
      verb: 'list',
      responseStatus: { code: 403, reason: 'Forbidden' },
    });
    expect(lines.join()).not.toContain(browser.cookie.slice(4, 20));
  });

  it('that was valid before keeps working while others at the same address fail', async () => {
    await asAnna();
    expect((await browser.send(projects)).code).toBe(200);
    const stranger = new Browser(bench, server);
    stranger.cookie = `flk_${'x'.repeat(46)}`;
    for (let index = 0; index < 22; index++) await stranger.send(projects);
    expect((await stranger.send(projects)).code).toBe(429);
    expect((await browser.send(projects)).code).toBe(200);
  });

  it('is not accepted by the agent API', async () => {
    await bench.createObject(server, 'clusters', 'edge', { networkPeer: true });
    await asAdmin();
    for (const path of ['policy', 'announce', 'audit']) {
      const { code } = await browser.send(`/kubernetes/agent/edge/${path}`, { method: 'POST', body: {} });
      expect(code, path).toBe(401);
    }
  });
});

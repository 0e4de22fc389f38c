import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Browser } from './auth/browser.fixture.ts';
import { ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const evil = '/kubernetes/cluster/evil';
const service = `${evil}/api/v1/namespaces/a/services/s/proxy`;

let bench: ServerTestEnv;
let server: RunningServer;
let browser: Browser;
let cluster: Server;
let seen: { url: string; headers: IncomingHttpHeaders }[];

/** A malicious cluster that sends harmful responses to browsers. */
beforeEach(async () => {
  seen = [];
  cluster = createServer(({ url = '', headers }, response) => {
    seen.push({ url, headers });
    const type = url.includes('/plain') ? 'text/plain' : url.includes('/svg') ? 'image/svg+xml' : 'text/html';
    response.writeHead(200, {
      ...(url.includes('/typeless') ? {} : { 'content-type': type }),
      'set-cookie': ['__Host-flotilla-session=flk_evil; Path=/; Secure', 'other=1'],
      'content-security-policy': "script-src 'unsafe-inline'",
      'x-content-type-options': 'sniff',
      'service-worker-allowed': '/',
      'clear-site-data': '"cookies"',
    });
    response.end('<script>alert(document.domain)</script>');
  });
  cluster.listen(0, '127.0.0.1');
  await once(cluster, 'listening');
  const { port } = cluster.address() as AddressInfo;
  bench = await ServerTestEnv.open();
  server = await bench.start();
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'evil', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'admin', user: { token: 'host-credential' } }],
    contexts: [{ name: 'evil', context: { cluster: 'evil', user: 'admin' } }],
    'current-context': 'evil',
  });
  await bench.createObject(server, 'clusters', 'evil', { kubeconfig });
  browser = new Browser(bench, server);
  await browser.signIn({ accessKey: await bench.adminKey() });
});
afterEach(async () => {
  await bench.close();
  cluster.closeAllConnections();
  cluster.close();
});

describe('a page from a cluster', () => {
  it('cannot run scripts and has an opaque origin, for every caller', async () => {
    for (const path of ['page', 'svg', 'typeless']) {
      const byCookie = await browser.send(`${service}/${path}`);
      const byKey = await bench.request(server, `${service}/${path}`);
      await byKey.body.dump();
      for (const headers of [byCookie.headers, byKey.headers]) {
        expect([headers['content-security-policy']].flat().join(', '), path).toBe(
          "script-src 'unsafe-inline', sandbox",
        );
        expect(headers['x-content-type-options']).toBe('nosniff');
      }
    }
    const plain = await browser.send(`${service}/plain`);
    expect(plain.code, plain.text).toBe(200);
    expect(plain.headers['x-content-type-options']).toBe('nosniff');
  });

  it('cannot set cookies or other headers that affect this server', async () => {
    const { cookie } = browser;
    const { headers } = await browser.send(`${service}/page`);
    for (const name of ['set-cookie', 'service-worker-allowed', 'clear-site-data']) {
      expect(headers[name], name).toBeUndefined();
    }
    expect(browser.cookie).toBe(cookie);
  });

  it('does not open through a link, even if the browser has a session', async () => {
    const before = seen.length;
    for (const site of ['none', 'same-origin', 'same-site', 'cross-site']) {
      const { code, text } = await browser.send(
        `${service}/page`,
        {},
        { 'x-flotilla-console': null, 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', accept: 'text/html' },
      );
      expect(code).toBe(403);
      expect(text).not.toContain('<script>');
    }
    const own = seen.slice(before).filter(({ url }) => url.includes('/page'));
    expect(own).toEqual([]);
  });

  it('never receives the session cookie or its key', async () => {
    await browser.send(`${service}/page`);
    const headers = seen.findLast(({ url }) => url.includes('/page'))?.headers ?? {};
    expect(headers.cookie).toBeUndefined();
    expect(headers.authorization).toBe('Bearer host-credential');
    expect(headers['impersonate-user']).toBe('admin');
    expect(JSON.stringify(seen)).not.toContain(browser.cookie.slice(4));
  });
});

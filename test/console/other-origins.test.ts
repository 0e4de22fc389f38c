import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Browser as Requests } from '../../src/server/auth/browser.fixture.ts';
import { groupPath, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { chromium } from '../harness/browsers.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { testCertificate } from '../harness/test-http-server.ts';
import { startBrowser } from './harness/browser.ts';

const consoleHeaders = { 'X-Flotilla-Console': '1', 'Content-Type': 'application/json' };
const projects = `${groupPath}/projects`;
const service = '/kubernetes/cluster/evil/api/v1/namespaces/a/services/s/proxy/page';
/** A script that sets the page title to show that it ran, and tries to read data. */
const script = `document.title = 'ran'; fetch(${JSON.stringify(projects)}, { headers: { 'X-Flotilla-Console': '1' } })
  .then((answer) => { document.title = 'ran and got ' + answer.status; });`;

describeIfAvailable(chromium.missing, 'a console session and pages of other origins', () => {
  let browser: Browser;
  let env: ServerTestEnv;
  let server: RunningServer;
  let sibling: Server;
  const closing: (() => unknown)[] = [];
  let context: BrowserContext;
  let page: Page;
  /** The cookie that the page of the sibling origin sets. */
  let siblingCookie = '';
  const portOf = (of: { address(): unknown }) => (of.address() as AddressInfo).port;
  const siblingUrl = (host: string) => `https://${host}:${portOf(sibling)}/`;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    siblingCookie = '';
    const { cert, key } = await testCertificate();
    // A server on another port of the same host: same site, but another origin.
    sibling = createHttps({ cert, key }, (_request, response) => {
      if (siblingCookie !== '') response.setHeader('set-cookie', siblingCookie);
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>sibling</title><body>');
    });
    const cluster = createHttp((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>quiet</title><script>${script}</script>`);
    });
    for (const each of [sibling, cluster]) {
      each.listen(0, '127.0.0.1');
      await once(each, 'listening');
      closing.push(() => {
        each.closeAllConnections();
        each.close();
      });
    }
    env = await ServerTestEnv.open();
    closing.push(() => env.close());
    await mkdir(env.consoleDir);
    await writeFile(join(env.consoleDir, 'index.html'), '<!doctype html><title>console</title><body>');
    server = await env.start();
    await env.createObject(server, 'users', 'anna', {});
    const kubeconfig = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'evil', cluster: { server: `http://127.0.0.1:${portOf(cluster)}` } }],
      users: [{ name: 'admin', user: { token: 'x' } }],
      contexts: [{ name: 'evil', context: { cluster: 'evil', user: 'admin' } }],
      'current-context': 'evil',
    });
    await env.createObject(server, 'clusters', 'evil', { kubeconfig });
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    closing.push(() => context.close());
    page = await context.newPage();
    await page.goto(`${server.url}/`);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** Returns the status of a fetch on the open page, or the error message if the fetch fails. */
  async function fetched(path: string, init: RequestInit = {}): Promise<number | string> {
    return await page.evaluate(
      async ([url, options]) => {
        try {
          return (await fetch(url, options)).status;
        } catch (error) {
          return String(error);
        }
      },
      [path, init] as const,
    );
  }

  async function signIn(accessKey: string): Promise<string> {
    const answer = await page.evaluate(
      async ([headers, body]) => {
        const response = await fetch('/auth/session', { method: 'POST', headers, body });
        return { status: response.status, info: (await response.json()) as { accessKey: string } };
      },
      [consoleHeaders, JSON.stringify({ accessKey })] as const,
    );
    expect(answer.status).toBe(201);
    return answer.info.accessKey;
  }

  it('the console page can use the session, and no script can read the cookie', async () => {
    const name = await signIn(await env.adminKey());
    expect(await page.evaluate(() => document.cookie)).toBe('');
    expect(await fetched(projects, { headers: consoleHeaders })).toBe(200);
    // The browser sends the Origin header even with a no-referrer policy.
    expect(await fetched(`${groupPath}/selves`, { method: 'POST', headers: consoleHeaders, body: '{}' })).toBe(201);
    expect(await fetched(projects)).toBe(403);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: '__Host-flotilla-session', httpOnly: true, secure: true, sameSite: 'Strict' });
    expect(await fetched('/auth/session', { method: 'DELETE', headers: consoleHeaders })).toBe(200);
    expect(await context.cookies()).toEqual([]);
    expect((await env.send(server, `${groupPath}/accesskeys/${name}`)).code).toBe(404);
  });

  for (const [site, host, sendsCookie] of [
    ['of the same site, on another port', '127.0.0.1', true],
    ['of another site', 'localhost', false],
  ] as const) {
    it(`a page ${site} cannot use the session`, async () => {
      await signIn(await env.adminKey());
      const answers: [string, number][] = [];
      await page.goto(siblingUrl(host));
      context.on('response', (response) => {
        if (response.url().startsWith(server.url)) answers.push([response.url(), response.status()]);
      });
      const target = (path: string) => `${server.url}${path}`;
      const made = JSON.stringify({ metadata: { name: 'forged' } });
      const session = target('/auth/session');
      // With the console header, the browser must send a preflight request first.
      for (const [path, method] of [
        [target(projects), 'GET'],
        [target(projects), 'POST'],
        [session, 'POST'],
        [session, 'DELETE'],
      ] as const) {
        const body = method === 'POST' ? { body: made } : {};
        expect(await fetched(path, { method, credentials: 'include', headers: consoleHeaders, ...body })).toMatch(
          /TypeError/,
        );
      }
      // Without the console header, the browser sends the request, and the server denies it.
      const simple: RequestInit = { credentials: 'include', mode: 'no-cors' };
      await fetched(target(projects), simple);
      await fetched(target(projects), { ...simple, method: 'POST', body: made });
      await fetched(session, {
        ...simple,
        method: 'POST',
        body: JSON.stringify({ accessKey: await env.adminKey() }),
      });
      await page.evaluate(
        async ([list, review]) => {
          for (const tag of ['img', 'script', 'iframe'] as const) {
            const element = document.createElement(tag);
            const over = new Promise((resolve) => {
              element.onload = resolve;
              element.onerror = resolve;
            });
            element.src = list;
            document.body.append(element);
            await over;
          }
          navigator.sendBeacon(review, '{}');
          const socket = new WebSocket(`${list.replace('https', 'wss')}?watch=true`);
          await new Promise((resolve) => {
            socket.onclose = resolve;
            socket.onopen = () => {
              document.title = 'opened';
              socket.close();
            };
          });
        },
        [target(projects), target(`${groupPath}/selves`)] as const,
      );
      expect(await page.title()).toBe('sibling');
      await page.evaluate((action) => {
        const form = document.createElement('form');
        form.method = 'post';
        form.enctype = 'text/plain';
        form.action = action;
        const field = document.createElement('input');
        field.name = '{"accessKey":"x","y":"';
        field.value = '"}';
        form.append(field);
        document.body.append(form);
        form.submit();
      }, session);
      await page.waitForURL(session);
      expect(answers.length).toBeGreaterThanOrEqual(5);
      for (const [url, status] of answers) expect(status, url).toBeGreaterThanOrEqual(400);
      expect(await env.names(server, 'projects')).not.toContain('forged');
      // To another port of the same host, the browser sends the cookie. The server denies these requests because they
      // lack the console header.
      const lines = (await env.read('audit.log')).split('\n');
      const refused = lines.filter((line) => line.includes('"code":403') && line.includes('"username":"admin"'));
      expect(refused.length > 0).toBe(sendsCookie);
      // The session still works for the console.
      await page.goto(`${server.url}/`);
      expect(await fetched(projects, { headers: consoleHeaders })).toBe(200);
    });
  }

  it('the session does not open pages of services in clusters, and their scripts do not run', async () => {
    await signIn(await env.adminKey());
    const followed = await page.goto(`${server.url}${service}`);
    expect(followed?.status()).toBe(403);
    // Simulates a browser extension that adds an access key to every request.
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${await env.adminKey()}` });
    const opened = await page.goto(`${server.url}${service}`);
    expect(opened?.status()).toBe(200);
    expect(await page.title()).toBe('quiet');
  });

  it('a cookie that the sibling replaces is rejected', async () => {
    const name = await signIn(await env.adminKey());
    const attacker = new Requests(env, server);
    await attacker.signIn({ accessKey: await env.createKey(server, 'annas', { user: 'anna' }) });
    siblingCookie = `__Host-flotilla-session=${attacker.cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`;
    const other = await context.newPage();
    await other.goto(siblingUrl('127.0.0.1'));
    expect(await fetched(projects, { headers: { ...consoleHeaders, 'X-Flotilla-Session': name } })).toBe(401);
  });
});

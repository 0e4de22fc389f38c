import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Browser as Requests } from '../../src/server/browser.fixture.ts';
import { groupPath, ServerBench } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { testCertificate } from '../harness/http-server.ts';
import { describeWith } from '../harness/suite.ts';
import { chromiumMissing, startBrowser } from './harness/browser.ts';

const proof = { 'X-Flotilla-Console': '1', 'Content-Type': 'application/json' };
const projects = `${groupPath}/projects`;
const service = '/kubernetes/cluster/evil/api/v1/namespaces/a/services/s/proxy/page';
/** Says so, where it runs, and takes what it can. */
const script = `document.title = 'ran'; fetch(${JSON.stringify(projects)}, { headers: { 'X-Flotilla-Console': '1' } })
  .then((answer) => { document.title = 'ran and got ' + answer.status; });`;

describeWith(chromiumMissing, 'somebody’s session, to pages that are not the console’s', () => {
  let browser: Browser;
  let bench: ServerBench;
  let server: RunningServer;
  let sibling: Server;
  const closing: (() => unknown)[] = [];
  let context: BrowserContext;
  let page: Page;
  /** What a page of the sibling is answered with besides. */
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
    // Another server on another port of the same host: what it serves is of the same site, and of another origin.
    sibling = createHttps({ cert, key }, (_asked, response) => {
      if (siblingCookie !== '') response.setHeader('set-cookie', siblingCookie);
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>sibling</title><body>');
    });
    const cluster = createHttp((_asked, response) => {
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
    bench = await ServerBench.open();
    closing.push(() => bench.close());
    await mkdir(bench.consoleDir);
    await writeFile(join(bench.consoleDir, 'index.html'), '<!doctype html><title>console</title><body>');
    server = await bench.start();
    await bench.make(server, 'users', 'anna', {});
    const kubeconfig = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'evil', cluster: { server: `http://127.0.0.1:${portOf(cluster)}` } }],
      users: [{ name: 'admin', user: { token: 'x' } }],
      contexts: [{ name: 'evil', context: { cluster: 'evil', user: 'admin' } }],
      'current-context': 'evil',
    });
    await bench.make(server, 'clusters', 'evil', { kubeconfig });
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    closing.push(() => context.close());
    page = await context.newPage();
    await page.goto(`${server.url}/`);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** What fetch on the page that is open comes to. */
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
        return { status: response.status, told: (await response.json()) as { accessKey: string } };
      },
      [proof, JSON.stringify({ accessKey })] as const,
    );
    expect(answer.status).toBe(201);
    return answer.told.accessKey;
  }

  it('is one that the console’s own page has, and no script of it sees', async () => {
    const name = await signIn(await bench.adminKey());
    expect(await page.evaluate(() => document.cookie)).toBe('');
    expect(await fetched(projects, { headers: proof })).toBe(200);
    // A browser sends the origin along, though it is told to send no referrer.
    expect(await fetched(`${groupPath}/selves`, { method: 'POST', headers: proof, body: '{}' })).toBe(201);
    expect(await fetched(projects)).toBe(403);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: '__Host-flotilla-session', httpOnly: true, secure: true, sameSite: 'Strict' });
    expect(await fetched('/auth/session', { method: 'DELETE', headers: proof })).toBe(200);
    expect(await context.cookies()).toEqual([]);
    expect((await bench.ask(server, `${groupPath}/accesskeys/${name}`)).code).toBe(404);
  });

  for (const [site, host, sendsCookie] of [
    ['of the same site, on another port', '127.0.0.1', true],
    ['of another site', 'localhost', false],
  ] as const) {
    it(`is of no use to a page ${site}`, async () => {
      await signIn(await bench.adminKey());
      const answers: [string, number][] = [];
      await page.goto(siblingUrl(host));
      context.on('response', (response) => {
        if (response.url().startsWith(server.url)) answers.push([response.url(), response.status()]);
      });
      const target = (path: string) => `${server.url}${path}`;
      const made = JSON.stringify({ metadata: { name: 'forged' } });
      const session = target('/auth/session');
      // With the header it would have to ask first.
      for (const [path, method] of [
        [target(projects), 'GET'],
        [target(projects), 'POST'],
        [session, 'POST'],
        [session, 'DELETE'],
      ] as const) {
        const body = method === 'POST' ? { body: made } : {};
        expect(await fetched(path, { method, credentials: 'include', headers: proof, ...body })).toMatch(/TypeError/);
      }
      // Without it, it is sent, and refused.
      const simple: RequestInit = { credentials: 'include', mode: 'no-cors' };
      await fetched(target(projects), simple);
      await fetched(target(projects), { ...simple, method: 'POST', body: made });
      await fetched(session, {
        ...simple,
        method: 'POST',
        body: JSON.stringify({ accessKey: await bench.adminKey() }),
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
      expect(await bench.names(server, 'projects')).not.toContain('forged');
      // To another port of its host the browser sends the cookie along, and it is the proof that was missing.
      const lines = (await bench.read('audit.log')).split('\n');
      const refused = lines.filter((line) => line.includes('"code":403') && line.includes('"username":"admin"'));
      expect(refused.length > 0).toBe(sendsCookie);
      // It is still there, for whom it is meant.
      await page.goto(`${server.url}/`);
      expect(await fetched(projects, { headers: proof })).toBe(200);
    });
  }

  it('does not open the pages of clusters, and is out of their reach where something else does', async () => {
    await signIn(await bench.adminKey());
    const followed = await page.goto(`${server.url}${service}`);
    expect(followed?.status()).toBe(403);
    // As an extension would that puts a key on every request.
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${await bench.adminKey()}` });
    const opened = await page.goto(`${server.url}${service}`);
    expect(opened?.status()).toBe(200);
    expect(await page.title()).toBe('quiet');
  });

  it('is not mistaken for another that the sibling puts into its place', async () => {
    const name = await signIn(await bench.adminKey());
    const attacker = new Requests(bench, server);
    await attacker.signIn({ accessKey: await bench.makeKey(server, 'annas', { user: 'anna' }) });
    siblingCookie = `__Host-flotilla-session=${attacker.cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`;
    const other = await context.newPage();
    await other.goto(siblingUrl('127.0.0.1'));
    expect(await fetched(projects, { headers: { ...proof, 'X-Flotilla-Session': name } })).toBe(401);
  });
});

import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerTestEnv } from '../server.fixture.ts';
import type { FlagValues } from '../settings/flags.ts';
import type { RunningServer } from '../start-server.ts';
import { consoleDirectory } from './console-directory.ts';

const page =
  '<!doctype html><meta name="style-nonce" content="__STYLE_NONCE__"><meta content="__API_PREFIX__"><meta name="api-word" content="__API_WORD__">';
const script = 'console.log("ä");\n'.repeat(500);
const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

let bench: ServerTestEnv;
let server: RunningServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

async function start(flags: FlagValues = {}): Promise<void> {
  await mkdir(join(bench.consoleDir, 'assets'), { recursive: true });
  await writeFile(join(bench.consoleDir, 'index.html'), page);
  await writeFile(join(bench.consoleDir, 'assets', 'main-1a2b.js'), script);
  await writeFile(join(bench.consoleDir, 'assets', 'tiny.css'), 'a{}');
  await writeFile(join(bench.consoleDir, 'favicon.svg'), '<svg/>');
  await writeFile(join(bench.consoleDir, 'odd.bin'), 'x');
  await symlink('/etc/hostname', join(bench.consoleDir, 'assets', 'link.txt'));
  server = await bench.start(flags);
}

async function get(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const response = await bench.request(server, path, { token: '', method }, headers);
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return { code: response.statusCode, headers: response.headers, bytes, text: bytes.toString() };
}

describe('the console', () => {
  it('serves its page at the root and at every unused path to requests that accept HTML', async () => {
    await start();
    expect(server.hasConsole).toBe(true);
    const deep = ['/clusters/far', '/projects/a%2Fb?tab=x', '/apis/apps/v1/watch', '/x/..', '/api/v1/watch'];
    for (const path of ['/', '/index.html', '/kubernetes', ...deep]) {
      const { code, headers, text } = await get(path, html);
      expect([code, headers['content-type']], path).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toMatch(/^<!doctype html>/);
    }
    expect((await get('/%zz', html)).code).toBe(400);
    expect((await get('/')).code).toBe(200);
    expect((await get('/', { accept: '*/*' })).code).toBe(200);
    const head = await get('/', html, 'HEAD');
    expect([head.code, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(50);
  });

  it('responds with the usual 404 to other requests (completions §1)', async () => {
    await start();
    for (const [path, headers, method] of [
      ['/nothing', {}, 'GET'],
      ['/nothing', { accept: 'application/json' }, 'GET'],
      ['/', { accept: 'application/json' }, 'GET'],
      ['/nothing', html, 'POST'],
      ['/', html, 'POST'],
      ['/assets/gone-9f9f.js', html, 'GET'],
      ['/assets/', html, 'GET'],
      ['/assets/link.txt', {}, 'GET'],
      ['//evil.test/x', html, 'GET'],
      ['/assets/..%2findex.html', html, 'GET'],
      ['/assets/../../data/admin.key', {}, 'GET'],
      ['/..%2fdata/admin.key', {}, 'GET'],
      ['/favicon.svg/', {}, 'GET'],
    ] as const) {
      const { code, headers: told, text } = await get(path, headers, method);
      expect([code, told['content-type']], path).toEqual([404, 'application/json']);
      expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
    }
  });

  it('takes no path from other handlers, whatever the request accepts', async () => {
    await start();
    for (const [path, code] of [
      ['/version', 200],
      ['/healthz', 200],
      ['/healthz/none', 404],
      ['/metrics', 401],
      ['/backup', 401],
      ['/auth/session', 403],
      ['/auth/jwks', 200],
      ['/kubernetes/management', 401],
      ['/kubernetes/management/', 401],
      ['/kubernetes/cluster/local', 401],
      ['/kubernetes/project/a/virtualcluster/b', 401],
    ] as const) {
      const answer = await get(path, html);
      expect(answer.code, path).toBe(code);
      expect(answer.headers['content-type'], path).not.toContain('html');
    }
  });

  it('allows its page to run and load only files of this server', async () => {
    await start({ 'api-prefix': 'fleet' });
    const { headers, text } = await get('/', html);
    const policy = String(headers['content-security-policy']);
    const nonce = /style-src 'self' 'nonce-([A-Za-z0-9+/=]{24})'/.exec(policy)?.[1];
    expect(nonce).toBeDefined();
    expect(text).toContain(`<meta name="style-nonce" content="${nonce}">`);
    expect(text).toContain('<meta content="fleet">');
    expect(text).toContain('<meta name="api-word" content="platform">');
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy.split('; ')).toContain(directive);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers.etag).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('uses a new nonce for each load, also if the browser has an old page', async () => {
    await start();
    const nonces = new Set<string>();
    for (let index = 0; index < 20; index++) {
      const { code, headers, text } = await get('/', { ...html, 'if-none-match': '*' });
      expect(code).toBe(200);
      const nonce = /content="([^"]+)"/.exec(text)?.[1] ?? '';
      expect(headers['content-security-policy']).toContain(`'nonce-${nonce}'`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(20);
  });

  it('serves hashed assets as immutable, with the encoding that the browser accepts', async () => {
    await start();
    const path = '/assets/main-1a2b.js';
    const plain = await get(path);
    expect(plain.text).toBe(script);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    for (const [accepted, encoding, unpack] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      for (let round = 0; round < 2; round++) {
        const packed = await get(path, { 'accept-encoding': accepted });
        expect(packed.headers['content-encoding']).toBe(encoding);
        expect(packed.bytes.byteLength).toBeLessThan(script.length / 10);
        expect(Number(packed.headers['content-length'])).toBe(packed.bytes.byteLength);
        expect(unpack(packed.bytes).toString()).toBe(script);
      }
    }
    expect((await get('/assets/tiny.css', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
  });

  it('serves files that the build compressed, and no internal files of the build', async () => {
    const packed = join(bench.consoleDir, '.packed', 'assets');
    await mkdir(packed, { recursive: true });
    await writeFile(join(packed, 'main-1a2b.js.br'), brotliCompressSync('from the build'));
    await mkdir(join(bench.consoleDir, '.vite'));
    await writeFile(join(bench.consoleDir, '.vite', 'manifest.json'), '{}');
    await start();
    const { bytes } = await get('/assets/main-1a2b.js', { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(bytes).toString()).toBe('from the build');
    expect((await get('/assets/main-1a2b.js')).text).toBe(script);
    for (const path of ['/.packed/assets/main-1a2b.js.br', '/.vite/manifest.json']) {
      expect((await get(path)).code, path).toBe(404);
    }
  });

  it('responds with 304 to requests for unchanged files', async () => {
    await start();
    const { headers } = await get('/favicon.svg');
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
    expect(headers.etag).toBe(`"${createHash('sha256').update('<svg/>').digest('base64url').slice(0, 24)}"`);
    const again = await get('/favicon.svg', { 'if-none-match': String(headers.etag) });
    expect([again.code, again.text]).toEqual([304, '']);
    expect((await get('/odd.bin')).headers['content-type']).toBe('application/octet-stream');
  });

  it('serves the files of the first request even if they change later', async () => {
    await start();
    expect((await get('/', html)).code).toBe(200);
    await rm(bench.consoleDir, { recursive: true });
    expect((await get('/assets/main-1a2b.js')).text).toBe(script);
  });

  it('responds with instructions if it is not built', async () => {
    server = await bench.start();
    expect(server.hasConsole).toBe(false);
    for (const path of ['/', '/clusters']) {
      const { code, text } = await get(path, html);
      expect(code).toBe(404);
      expect(JSON.parse(text)).toMatchObject({
        kind: 'Status',
        reason: 'NotFound',
        message: 'the web console is not built: run "npm run build"',
      });
    }
    expect((await get('/assets/x.js', html)).text).not.toContain('npm');
    await mkdir(bench.consoleDir);
    await writeFile(join(bench.consoleDir, 'index.html'), page);
    expect((await get('/', html)).code).toBe(200);
  });

  it('is located next to the built program, or in dist for the sources', () => {
    expect(consoleDirectory('file:///opt/flotilla/dist/whole-abc.cjs')).toBe('/opt/flotilla/dist/web/');
    expect(consoleDirectory('file:///opt/flotilla/dist/run-server-abc.js')).toBe('/opt/flotilla/dist/web/');
    expect(consoleDirectory('file:///w/src/server/console/console-directory.ts')).toBe('/w/dist/web/');
  });
});

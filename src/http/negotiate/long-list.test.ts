import { connect } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';
const many = 3000;
const padding = 'x'.repeat(4000);

let server: TestHttpServer;
beforeAll(async () => {
  server = await TestHttpServer.start();
  for (let at = 0; at < many; at++) {
    const name = `w-${String(at).padStart(5, '0')}`;
    server.plane.put('a', name, { metadata: { name, namespace: 'a' }, spec: { size: 1, note: padding } });
  }
});
afterAll(() => server.stop());
beforeEach(() => {
  server.plane.calls.length = 0;
});

const namesIn = (text: string): string[] =>
  (JSON.parse(text).items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

describe('a long list', () => {
  it.each([false, true])('is complete and in order, without Content-Length, HTTP/2: %s (LIST-01)', async (http2) => {
    const { status, headers, text } = await server.request('GET', widgets, { http2 });
    expect(status).toBe(200);
    expect(headers['content-length']).toBeUndefined();
    expect(text.length).toBeGreaterThan(many * padding.length);
    expect(text.endsWith('}\n')).toBe(true);
    const names = namesIn(text);
    expect(names).toHaveLength(many);
    expect(names).toEqual([...names].sort());
  });

  it('is compressed if the client accepts it (NEG-20)', async () => {
    const response = await server.raw('GET', widgets, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(response.headers.vary).toBe('Accept-Encoding');
    const packed = Buffer.from(await response.body.arrayBuffer());
    expect(packed.byteLength).toBeLessThan(many * 100);
    expect(namesIn(gunzipSync(packed).toString())).toHaveLength(many);
  });

  it('has the same headers for HEAD', async () => {
    const { status, headers, text } = await server.request('HEAD', widgets, { headers: { 'accept-encoding': 'gzip' } });
    expect([status, text]).toEqual([200, '']);
    expect(headers['content-type']).toBe('application/json');
  });

  it.each(['', '?limit=3', '?limit=1'])('is indented like every other document on request: %s', async (query) => {
    const plain = await server.request('GET', `${widgets}${query}`);
    const pretty = await server.request('GET', `${widgets}${query === '' ? '?' : `${query}&`}pretty=1`);
    expect(pretty.text).toBe(JSON.stringify(plain.json, undefined, 2));
  });

  it('has a Content-Length only if it is short', async () => {
    const { headers, text } = await server.request('GET', `${widgets}?limit=20`);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(namesIn(text)).toHaveLength(20);
  });

  it.each([
    ['Table', 'rows'],
    ['PartialObjectMetadataList', 'items'],
  ])('is also available as %s (TABLE-11)', async (kind, member) => {
    const accept = `application/json;as=${kind};v=v1;g=meta.k8s.io`;
    const { json, headers } = await server.request('GET', widgets, { headers: { accept } });
    expect(json.kind).toBe(kind);
    expect(json[member]).toHaveLength(many);
    expect(headers['content-length']).toBeUndefined();
  });

  it('is truncated when the access key ends, which the client detects', async () => {
    const { body } = await server.raw('GET', widgets, { token: 'leaver-token' });
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    server.sessions.get('leaver')?.abort();
    const rest = async () => {
      for (let next = await reader.next(); next.done !== true; next = await reader.next());
    };
    await expect(rest()).rejects.toThrow();
    expect((await server.request('GET', `${widgets}?limit=1`)).status).toBe(200);
  });

  it('is no longer generated after a disconnect, and the next request is served', async () => {
    const session = connect(server.origin, { ca: server.certificate.cert, servername: 'localhost' });
    const stream = session.request({
      ':path': `/kubernetes/management${widgets}`,
      authorization: 'Bearer admin-token',
    });
    await new Promise((resolve) => stream.once('data', resolve));
    stream.close();
    await new Promise((resolve) => session.close(() => resolve(undefined)));
    expect(namesIn((await server.request('GET', widgets)).text)).toHaveLength(many);
  });
});

import { gunzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '@flotilla/json';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';
import { timestamp } from '../../api/meta.ts';
import { partialMetadataStructs } from '../../api/structs/kind-structs.ts';
import { ManualClock } from '../../lib/clock.ts';
import { decodeMessage } from '../protobuf/codec.ts';
import { protobufCodec } from '../protobuf/envelope.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

/**
 * Decodes partial metadata in its protobuf envelope: four bytes, then field 1 (the API version and kind) and field 2
 * (the message).
 */
function decodePartial(bytes: Uint8Array): { readonly type: string; readonly message: JsonObject } {
  const fields = (part: Uint8Array) => {
    const reader = new BinaryReader(part);
    const found: Uint8Array[] = [];
    while (reader.pos < reader.len) found[reader.tag()[0]] = reader.bytes();
    return found;
  };
  const [, typeMeta = new Uint8Array(), message = new Uint8Array()] = fields(bytes.subarray(4));
  const [, apiVersion, kind] = fields(typeMeta);
  const type = [apiVersion, kind].map((text) => Buffer.from(text ?? []).toString()).join('/');
  const struct = partialMetadataStructs.get(type);
  if (struct === undefined) throw new Error(`the response is ${type}`);
  return { type, message: decodeMessage(struct, message) };
}

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';
const as = (kind: string, version = 'v1') => ({ accept: `application/json;as=${kind};v=${version};g=meta.k8s.io` });

const clock = new ManualClock();
let server: TestHttpServer;
beforeAll(async () => {
  server = await TestHttpServer.start({
    clock,
    plane: { protobuf: protobufCodec },
  });
});
afterAll(() => server.stop());
beforeEach(() => {
  server.plane.objects.clear();
  server.plane.calls.length = 0;
  for (const name of ['x', 'y', 'z']) {
    server.plane.put('a', name, {
      metadata: {
        name,
        namespace: 'a',
        labels: { on: 'it' },
        resourceVersion: '7',
        creationTimestamp: timestamp(clock.now() - 300_000),
      },
      spec: { size: 4 },
    });
  }
});

describe('plain responses', () => {
  it('compact JSON ends with one newline and has the exact content type (NEG-19, NEG-22)', async () => {
    const { text, headers } = await server.request('GET', `${widgets}/x`);
    expect(text).toBe(`${JSON.stringify(JSON.parse(text))}\n`);
    expect(headers['content-type']).toBe('application/json');
  });

  it('pretty JSON is indented by two spaces without a final newline (NEG-19)', async () => {
    const { text } = await server.request('GET', `${widgets}/x?pretty=true`);
    expect(text).toBe(JSON.stringify(JSON.parse(text), undefined, 2));
  });

  it('objects and errors are YAML on request (NEG-04, NEG-18, NEG-22)', async () => {
    const headers = { accept: 'application/yaml' };
    const object = await server.request('GET', `${widgets}/x`, { headers });
    expect(object.headers['content-type']).toBe('application/yaml');
    expect(object.text).toMatch(/^apiVersion: example\.dev\/v1\nkind: Widget\nmetadata:\n/);
    const error = await server.request('GET', `${widgets}/nobody`, { headers });
    expect(error.status).toBe(404);
    expect(error.text).toContain('reason: NotFound\n');
  });

  it('an error keeps its status and is indented JSON if no format is acceptable (NEG-18)', async () => {
    const { status, text, json } = await server.request('GET', '/apis/nobody/v1/r/x', {
      headers: { accept: 'application/xml' },
    });
    expect([status, json.reason]).toEqual([404, 'NotFound']);
    expect(text).toBe(JSON.stringify(json, undefined, 2));
  });

  it('a list has apiVersion and kind in every item, and [] if it is empty (LIST-01, NEG-25)', async () => {
    const { json } = await server.request('GET', widgets);
    expect(json).toMatchObject({ apiVersion: 'example.dev/v1', kind: 'WidgetList' });
    expect(json.metadata).toEqual({ resourceVersion: expect.stringMatching(/^\d+$/) });
    expect(json.items.map((item: { kind: string }) => item.kind)).toEqual(['Widget', 'Widget', 'Widget']);
    const empty = await server.request('GET', '/apis/example.dev/v1/namespaces/none/widgets');
    expect([empty.status, empty.json.items]).toEqual([200, []]);
  });

  it('a page has a continue token and the exact remaining count (LIST-15, LIST-23)', async () => {
    const { json } = await server.request('GET', `${widgets}?limit=2`);
    expect(json.metadata).toMatchObject({ continue: 'more', remainingItemCount: 1 });
    expect(Object.keys(json.metadata)).toEqual(['continue', 'remainingItemCount', 'resourceVersion']);
    expect(json.items).toHaveLength(2);
  });

  it('a limit that is not a number is rejected, also an empty one (REQ-22)', async () => {
    const { status, json } = await server.request('GET', `${widgets}?limit=`);
    expect([status, json.message]).toEqual([400, 'strconv.ParseInt: parsing "": invalid syntax']);
  });

  it('items of built-in lists omit kind and apiVersion (NEG-25, DEC-25)', async () => {
    server.plane.objects.set('namespaces//a', {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'a', resourceVersion: '5' },
    });
    const { text, json } = await server.request('GET', '/api/v1/namespaces');
    expect(text).toMatch(/^\{"kind":"NamespaceList","apiVersion":"v1","metadata":/);
    expect(json.items[0].metadata.name).toBe('a');
  });
});

describe('Tables', () => {
  it('have all columns, the name first, and ages as text (TABLE-01 to TABLE-05)', async () => {
    const { json } = await server.request('GET', `${widgets}?limit=1`, { headers: as('Table') });
    expect(json).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(json.metadata).toMatchObject({ continue: 'more', remainingItemCount: 2 });
    expect(json.columnDefinitions.map((column: { name: string }) => column.name)).toEqual(['Name', 'Size', 'Age']);
    for (const column of json.columnDefinitions) {
      expect(Object.keys(column)).toEqual(['name', 'type', 'format', 'description', 'priority']);
    }
    expect(json.columnDefinitions[0]).toMatchObject({ type: 'string', format: 'name', priority: 0 });
    expect(json.rows[0].cells).toEqual(['x', 4, '5m']);
  });

  it('include the objects that includeObject requests (TABLE-07, NEG-23, KUBECTL-33)', async () => {
    const row = async (query: string) =>
      (await server.request('GET', `${widgets}/x${query}`, { headers: as('Table', 'v1beta1') })).json.rows[0].object;
    expect(await row('')).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1beta1',
      metadata: { name: 'x', labels: { on: 'it' } },
    });
    expect(await row('?includeObject=Object')).toMatchObject({ kind: 'Widget', spec: { size: 4 } });
    expect(await row('?includeObject=None')).toBeUndefined();
    const bad = await server.request('GET', `${widgets}/x?includeObject=x`, { headers: as('Table') });
    expect([bad.status, bad.json.message]).toEqual([
      400,
      `Unable to convert to Table as requested: includeObject: Invalid value: "x": must be 'Metadata', 'Object', 'None', or empty`,
    ]);
  });

  it('of one object have one row and its resourceVersion (TABLE-08)', async () => {
    const { json } = await server.request('GET', `${widgets}/x`, { headers: as('Table') });
    expect(json.rows).toHaveLength(1);
    expect(json.metadata).toEqual({ resourceVersion: '7' });
  });

  it('have null for missing values, and no rows for an empty list (TABLE-01, TABLE-06)', async () => {
    server.plane.put('b', 'bare');
    const all = await server.request('GET', '/apis/example.dev/v1/namespaces/b/widgets', { headers: as('Table') });
    expect(all.json.rows[0].cells).toEqual(['bare', null, null]);
    const none = await server.request('GET', '/apis/example.dev/v1/namespaces/c/widgets', { headers: as('Table') });
    expect(none.json.rows).toEqual([]);
  });

  it('are not available for kinds that are never stored (NEG-17, AUTHZ-06)', async () => {
    const { status, json } = await server.request('POST', '/apis/example.dev/v1/reviews', {
      headers: as('Table'),
      body: '{}',
    });
    expect([status, json.message]).toEqual([
      406,
      'the resource reviews.example.dev does not support being converted to a Table',
    ]);
    expect(server.plane.calls).toEqual([]);
  });

  it('are never made of a Status (NEG-16)', async () => {
    expect((await server.request('DELETE', `${widgets}/x`, { headers: as('Table') })).json.kind).toBe('Status');
    expect((await server.request('GET', `${widgets}/nobody`, { headers: as('Table') })).json.kind).toBe('Status');
  });
});

describe('partial objects', () => {
  it('contain only metadata (TABLE-11, CLIENT-17)', async () => {
    const list = await server.request('GET', widgets, { headers: as('PartialObjectMetadataList') });
    expect(list.json).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(Object.keys(list.json.items[0])).toEqual(['kind', 'apiVersion', 'metadata']);
    expect(list.json.items[0].metadata.labels).toEqual({ on: 'it' });
    const one = await server.request('GET', `${widgets}/x`, { headers: as('PartialObjectMetadata') });
    expect(Object.keys(one.json)).toEqual(['kind', 'apiVersion', 'metadata']);
  });

  it.each(['v1', 'v1beta1'])('are %s protobuf for any kind if the client prefers that (NEG-14)', async (version) => {
    const read = async (path: string, kind: string) => {
      const parameters = `as=${kind};g=meta.k8s.io;v=${version}`;
      const accept = `${protobuf};${parameters},application/json;${parameters},application/json`;
      const { headers, body } = await server.raw('GET', path, { headers: { accept } });
      expect(headers['content-type']).toBe(protobuf);
      return decodePartial(new Uint8Array(await body.arrayBuffer()));
    };
    const metadata = { name: 'x', labels: { on: 'it' } };
    expect(await read(`${widgets}/x`, 'PartialObjectMetadata')).toMatchObject({
      type: `meta.k8s.io/${version}/PartialObjectMetadata`,
      message: { metadata },
    });
    const { type, message } = await read(widgets, 'PartialObjectMetadataList');
    expect(type).toBe(`meta.k8s.io/${version}/PartialObjectMetadataList`);
    expect(message).toMatchObject({ metadata: { resourceVersion: expect.stringMatching(/./) } });
    expect(message.items).toContainEqual({ metadata: expect.objectContaining(metadata) });
  });

  it('must be requested as a list for lists and as an object for objects (NEG-15)', async () => {
    const list = await server.request('GET', widgets, { headers: as('PartialObjectMetadata') });
    expect([list.status, list.json.message]).toEqual([
      406,
      'you requested PartialObjectMetadata, but the requested object is a list (WidgetList)',
    ]);
    const one = await server.request('GET', `${widgets}/x`, { headers: as('PartialObjectMetadataList') });
    expect([one.status, one.json.message]).toEqual([
      406,
      'you requested PartialObjectMetadataList, but the requested object is not a list (Widget)',
    ]);
  });
});

describe('protobuf', () => {
  const type = 'application/vnd.kubernetes.protobuf';
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'p' } };

  it('is accepted for built-in kinds, and the response is JSON if that is acceptable (NEG-06)', async () => {
    const { status, json, headers } = await server.request('POST', '/api/v1/namespaces', {
      headers: { 'content-type': type, accept: `${type},application/json` },
      body: protobufCodec.encode(namespace),
    });
    expect([status, json.metadata.name]).toEqual([201, 'p']);
    expect(headers['content-type']).toBe('application/json');
  });

  it('is returned if the client accepts nothing else', async () => {
    server.plane.objects.set('namespaces//p', { ...namespace });
    const response = await server.raw('GET', '/api/v1/namespaces/p', { headers: { accept: type } });
    expect(response.headers['content-type']).toBe(type);
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    expect(protobufCodec.decode({ group: '', version: 'v1', kind: 'Namespace' }, bytes)).toMatchObject(namespace);
    const list = await server.raw('GET', '/api/v1/namespaces', { headers: { accept: type } });
    const listed = protobufCodec.decode(
      { group: '', version: 'v1', kind: 'NamespaceList' },
      new Uint8Array(await list.body.arrayBuffer()),
    );
    expect(listed).toMatchObject({ kind: 'NamespaceList', items: [{ metadata: { name: 'p' } }] });
  });

  it('is sent in chunks if the list is long, and compressed if the client accepts that (NEG-20)', async () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `p-${at}-${'x'.repeat(200)}`);
    for (const name of names) server.plane.objects.set(`namespaces//${name}`, { ...namespace, metadata: { name } });
    const kind = { group: '', version: 'v1', kind: 'NamespaceList' };
    for (const encoding of ['identity', 'gzip']) {
      const headers = { accept: type, 'accept-encoding': encoding };
      const list = await server.raw('GET', '/api/v1/namespaces', { headers });
      expect(list.headers['content-length']).toBeUndefined();
      const bytes = new Uint8Array(await list.body.arrayBuffer());
      const { items } = protobufCodec.decode(kind, encoding === 'gzip' ? gunzipSync(bytes) : bytes);
      expect(items).toHaveLength(names.length);
    }
  });

  it('is not accepted for other kinds (NEG-05, NEG-13)', async () => {
    const headers = { 'content-type': type };
    expect((await server.request('POST', widgets, { headers, body: 'x' })).status).toBe(415);
    expect((await server.request('GET', widgets, { headers: { accept: type } })).status).toBe(406);
  });
});

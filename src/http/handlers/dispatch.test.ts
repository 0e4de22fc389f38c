import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';
const widget = (name: string, more: object = {}) =>
  JSON.stringify({ apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name }, ...more });

let server: TestHttpServer;
beforeAll(async () => {
  server = await TestHttpServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.plane.objects.clear();
  server.plane.calls.length = 0;
});

describe('paths', () => {
  it('unknown groups, versions, resources and extra segments get a Status (REQ-09, REQ-10, REQ-14)', async () => {
    for (const path of [
      '/apis/other.dev/v1/widgets',
      '/apis/example.dev/v2/widgets',
      '/apis/example.dev/v1/unknowns',
      `${widgets}/x/status/more`,
    ]) {
      const { status, json, headers } = await server.request('GET', path);
      expect(status).toBe(404);
      expect(headers['content-type']).toBe('application/json');
      expect(json).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
      expect(json.message).toBe('the server could not find the requested resource');
    }
  });

  it('cluster-scoped kinds exist only outside of namespaces, namespaced ones only inside (REQ-09)', async () => {
    expect((await server.request('GET', '/apis/example.dev/v1/namespaces/a/gadgets')).status).toBe(404);
    expect((await server.request('POST', '/apis/example.dev/v1/widgets', { body: widget('x') })).status).toBe(404);
    expect((await server.request('GET', '/apis/example.dev/v1/widgets')).status).toBe(200);
    expect((await server.request('GET', '/apis/example.dev/v1/gadgets')).status).toBe(200);
  });

  it('a collection is deleted in one namespace at a time (DELCOL-05)', async () => {
    expect((await server.request('DELETE', '/apis/example.dev/v1/widgets')).status).toBe(404);
    expect((await server.request('DELETE', widgets)).status).toBe(200);
  });

  it('a 405 names the verb that a kind does not support (REQ-12, WATCH-35)', async () => {
    const { status, json } = await server.request('DELETE', '/apis/example.dev/v1/gadgets/x');
    expect(status).toBe(405);
    expect(json.message).toBe('delete is not supported on resources of kind "gadgets.example.dev"');
    expect(json.details).toEqual({ group: 'example.dev', kind: 'gadgets' });
    const watched = await server.request('GET', '/apis/example.dev/v1/gadgets?watch=1');
    expect(watched.json.message).toBe('watch is not supported on resources of kind "gadgets.example.dev"');
  });

  it('an unknown subresource gets 404 with the name of the object (REQ-13)', async () => {
    const { status, json } = await server.request('GET', `${widgets}/x/scale`);
    expect(status).toBe(404);
    expect(json.message).toBe('widgets.example.dev "x" not found');
    expect((await server.request('GET', `${widgets}/x/constructor`)).status).toBe(404);
  });

  it('the status subresource supports only get, update and patch (STATUS-01)', async () => {
    server.plane.put('a', 'x');
    expect((await server.request('GET', `${widgets}/x/status`)).status).toBe(200);
    for (const method of ['POST', 'DELETE']) {
      expect((await server.request(method, `${widgets}/x/status`)).status).toBe(405);
    }
  });

  it('PUT and PATCH on collections and POST on items are rejected (REQ-14, PATCH-26)', async () => {
    const body = widget('x');
    expect((await server.request('PUT', widgets, { body })).status).toBe(405);
    expect((await server.request('PATCH', widgets, { body })).status).toBe(405);
    const { status, json } = await server.request('POST', `${widgets}/x`, { body });
    expect(status).toBe(405);
    expect(json.message).toBe('the server does not allow this method on the requested resource');
  });

  it('OPTIONS and TRACE on resources are rejected (REQ-26)', async () => {
    expect((await server.request('OPTIONS', widgets)).status).toBe(405);
    expect((await server.request('TRACE', widgets)).status).toBe(405);
  });

  it('names that are invalid in a path are rejected (REQ-24)', async () => {
    const { status, json } = await server.request('GET', `${widgets}/a%2Fb`);
    expect(status).toBe(400);
    expect(json.message).toBe(`Name parameter invalid: "a/b": may not contain '/'`);
    expect((await server.request('GET', `${widgets}/50%25`)).json.message).toBe(
      `Name parameter invalid: "50%": may not contain '%'`,
    );
  });

  it('a trailing slash is ignored (REQ-08)', async () => {
    expect((await server.request('GET', `${widgets}/`)).json.kind).toBe('WidgetList');
  });

  it('HEAD is served like GET without a body (REQ-25)', async () => {
    server.plane.put('a', 'x');
    const full = await server.request('GET', `${widgets}/x`);
    const head = await server.request('HEAD', `${widgets}/x`);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(full.headers['content-length']);
    expect(server.plane.calls.map((call) => call.verb)).toEqual(['get', 'get']);
  });

  it('a Namespace object is served at its own path (REQ-05)', async () => {
    server.plane.objects.set('namespaces//a', {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'a', resourceVersion: '5' },
    });
    const { status, json } = await server.request('GET', '/api/v1/namespaces/a');
    expect([status, json.kind]).toEqual([200, 'Namespace']);
    expect(server.plane.calls[0]?.context.namespace).toBe('');
  });

  it('the context of a request has its verb', async () => {
    server.plane.put('a', 'x');
    const headers = { 'content-type': 'application/merge-patch+json' };
    await server.request('PUT', `${widgets}/x`, { body: widget('x') });
    await server.request('PATCH', `${widgets}/x/status`, { body: '{}', headers });
    await server.request('GET', widgets);
    expect(server.plane.calls.map(({ context }) => context.verb)).toEqual(['update', 'patch', 'list']);
  });

  it('non-resource requests are served by the handler of the plane (REQ-01)', async () => {
    expect((await server.request('GET', '/apis/example.dev/v1')).json).toEqual({
      path: '/apis/example.dev/v1',
      verb: 'get',
    });
  });
});

describe('create', () => {
  it('create returns 201 with the stored object and no Location (CREATE-01)', async () => {
    const { status, json, headers } = await server.request('POST', widgets, {
      body: widget('x', { spec: { size: 3 } }),
    });
    expect(status).toBe(201);
    expect(headers.location).toBeUndefined();
    expect(json).toMatchObject({ kind: 'Widget', metadata: { name: 'x', namespace: 'a' }, spec: { size: 3 } });
  });

  it('the field manager comes from the query, else from the user agent (CREATE-08)', async () => {
    const headers = { 'user-agent': 'kubectl/v1.37 (linux)' };
    await server.request('POST', widgets, { body: widget('x'), headers });
    await server.request('POST', `${widgets}?fieldManager=me`, { body: widget('y'), headers });
    expect(server.plane.calls.map((call) => (call.options as { fieldManager: string }).fieldManager)).toEqual([
      'kubectl',
      'me',
    ]);
  });

  it('create checks Accept, content type, size, options and body in this order (REQ-27)', async () => {
    const bad = {
      accept: 'application/xml',
      'content-type': 'text/plain',
    };
    const big = 'x'.repeat(3_145_729);
    const query = '?dryRun=nope&fieldValidation=nope';
    const status = async (headers: Record<string, string>, body: string, suffix = query) =>
      (await server.request('POST', widgets + suffix, { headers, body })).status;
    expect(await status(bad, big)).toBe(406);
    expect(await status({ 'content-type': 'text/plain' }, big)).toBe(415);
    expect(await status({}, big)).toBe(413);
    expect(await status({}, '{')).toBe(422);
    expect(await status({}, '{', '')).toBe(400);
    expect(server.plane.calls).toEqual([]);
  });

  it('invalid options are reported (CREATE-25, DEC-08)', async () => {
    const { status, json } = await server.request('POST', `${widgets}?dryRun=true`, { body: widget('x') });
    expect(status).toBe(422);
    expect(json.message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["true"]: supported values: "All"',
    );
    const validation = await server.request('POST', `${widgets}?fieldValidation=x`, { body: widget('x') });
    expect(validation.json.message).toContain('CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported');
  });

  it('unknown and duplicate fields cause warnings, or errors if validation is strict (DEC-09, DEC-13, DEC-14)', async () => {
    const body = '{"metadata":{"name":"x"},"spec":{"size":1,"size":2,"shape":"round"}}';
    const warned = await server.request('POST', widgets, { body });
    expect(warned.status).toBe(201);
    expect([warned.headers.warning].flat()).toEqual([
      '299 - "duplicate field \\"spec.size\\""',
      '299 - "unknown field \\"spec.shape\\""',
    ]);
    expect(warned.json.spec).toEqual({ size: 2 });
    const strict = await server.request('POST', `${widgets}?fieldValidation=Strict`, { body });
    expect(strict.status).toBe(400);
    expect(strict.json.message).toMatch(
      /strict decoding error: duplicate field "spec\.size", unknown field "spec\.shape"$/,
    );
    server.plane.objects.clear();
    expect(
      (await server.request('POST', `${widgets}?fieldValidation=Ignore`, { body })).headers.warning,
    ).toBeUndefined();
  });

  it('bodies of another version, kind or namespace are rejected (DEC-04, DEC-05, CREATE-11)', async () => {
    const messages = await Promise.all(
      [
        { apiVersion: 'other/v1', metadata: { name: 'x' } },
        { kind: 'Gadget', metadata: { name: 'x' } },
        { metadata: { name: 'x', namespace: 'b' } },
      ].map(async (object) => {
        const { status, json } = await server.request('POST', widgets, { body: JSON.stringify(object) });
        return `${status} ${json.message}`;
      }),
    );
    expect(messages[0]).toContain('400 the API version in the data (other/v1) does not match');
    expect(messages[1]).toMatch(/^400 Gadget in version "v1" cannot be handled as a Widget/);
    expect(messages[2]).toBe(
      '400 the namespace of the provided object does not match the namespace sent on the request',
    );
  });

  it('create accepts YAML (NEG-04) and keeps 64-bit integers (DEC-07)', async () => {
    const { status, text } = await server.request('POST', widgets, {
      headers: { 'content-type': 'application/yaml; charset=utf-8', accept: 'application/yaml' },
      body: 'metadata: {name: x}\nspec: {size: 9223372036854775807}\n',
    });
    expect(status).toBe(201);
    expect(text).toContain('size: 9223372036854775807\n');
    expect((await server.request('GET', `${widgets}/x`)).text).toContain('"size":9223372036854775807');
  });

  it('POST to a named subresource uses the kind of the subresource', async () => {
    const body = JSON.stringify({ kind: 'Resize', apiVersion: 'example.dev/v1', metadata: {}, spec: { size: 2 } });
    const { status, json } = await server.request('POST', `${widgets}/x/resize`, { body });
    expect([status, json.kind]).toEqual([201, 'Resize']);
    expect(server.plane.calls[0]).toMatchObject({ verb: 'createNamed', name: 'x' });
  });
});

describe('bodies', () => {
  it('bodies above 3 MiB are rejected with and without Content-Length, over both protocols (REQ-20)', async () => {
    for (const http2 of [false, true]) {
      const body = Buffer.alloc(3_145_729, 0x20);
      const { status, json } = await server.request('POST', widgets, { body, http2 });
      expect(status).toBe(413);
      expect(json.message).toBe('Request entity too large: limit is 3145728');
    }
  });

  it('compressed bodies are rejected', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await server.request('POST', widgets, { headers, body: 'x' })).status).toBe(415);
  });

  it('a decoding error shows the start of the body (DEC-01)', async () => {
    expect((await server.request('POST', widgets, { body: '{"a"' })).json.message).toMatch(
      /^the object provided is unrecognized \(must be of type Widget\): couldn't get version\/kind; json parse error: .* \(\{"a"\)$/,
    );
    expect((await server.request('POST', widgets, { body: '' })).json.message).toMatch(/\(<empty>\)$/);
  });

  it('JSON that is nested too deep is rejected (REQ-21)', async () => {
    const { status } = await server.request('POST', widgets, { body: `${'['.repeat(100_000)}` });
    expect(status).toBe(400);
  });
});

describe('update and patch', () => {
  it('update replaces the object and returns 200 (UPDATE-01)', async () => {
    server.plane.put('a', 'x');
    const { status, json } = await server.request('PUT', `${widgets}/x`, { body: widget('x', { spec: { size: 9 } }) });
    expect([status, json.spec.size]).toEqual([200, 9]);
  });

  it('three patch types are accepted, and others are rejected first (PATCH-01 to PATCH-03, REQ-28)', async () => {
    server.plane.put('a', 'x');
    const patch = async (type: string | undefined, body: string, query = '') =>
      server.request('PATCH', `${widgets}/x${query}`, {
        headers: type === undefined ? {} : { 'content-type': type },
        body,
      });
    expect((await patch('application/merge-patch+json; charset=utf-8', '{"spec":{"size":1,"size":2}}')).status).toBe(
      200,
    );
    expect((await patch('application/json-patch+json', '[{"op":"add","path":"/a","value":1,"x":1}]')).status).toBe(200);
    expect((await patch('application/apply-patch+yaml', 'spec: {size: 1}\n', '?fieldManager=m')).status).toBe(201);
    expect(server.plane.calls.map((call) => call.patch)).toEqual([
      { type: 'merge', document: { spec: { size: 2 } }, findings: ['duplicate field "spec.size"'] },
      {
        type: 'json',
        operations: [{ op: 'add', path: '/a', value: 1, x: 1 }],
        findings: ['json patch unknown field "[0].x"'],
      },
      { type: 'apply', object: { spec: { size: 1 } } },
    ]);
    for (const type of ['application/strategic-merge-patch+json', 'application/json', undefined]) {
      const { status, json } = await patch(type, 'x'.repeat(4_000_000), '?force=1&dryRun=x');
      expect(status).toBe(415);
      expect(json.message).toBe(
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
    }
  });

  it('patch options are validated before the patch (PATCH-19, PATCH-20, PATCH-04)', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    expect((await server.request('PATCH', `${widgets}/x?force=true`, { headers: merge, body: '{' })).json.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
    expect((await server.request('PATCH', `${widgets}/x`, { headers: apply, body: '{}' })).json.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
    const broken = await server.request('PATCH', `${widgets}/x`, { headers: merge, body: '{' });
    expect([broken.status, broken.json.message.startsWith('error decoding patch: ')]).toEqual([400, true]);
  });

  it('duplicate keys of a strict apply are rejected (DEC-17)', async () => {
    const { status, json } = await server.request('PATCH', `${widgets}/x?fieldManager=m&fieldValidation=Strict`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: 'a: 1\na: 2\n',
    });
    expect(status).toBe(400);
    expect(json.message).toBe(
      'error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key "a" already set in map',
    );
  });
});

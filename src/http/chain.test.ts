import { getEventListeners, once } from 'node:events';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryAuditLog, TestHttpServer, type TestHttpServerOptions } from '../../test/harness/test-http-server.ts';
import { systemClock } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { authenticatedFilters } from './chain.ts';
import type { Filter } from './exchange.ts';
import { inFlightFilter } from './filters/in-flight.ts';

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';
const body = '{"metadata":{"name":"x"}}';

let server: TestHttpServer;
const start = async (options: TestHttpServerOptions = {}) => {
  await server?.stop();
  server = await TestHttpServer.start(options);
};
beforeEach(() => start());
afterEach(() => server.stop());

/** Sends only the first byte of a request body, and returns the response. */
async function beginToPost(token: string): Promise<string> {
  const socket = connect({ port: server.listener.port, host: '127.0.0.1', ca: server.certificate.cert });
  const headers = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n`;
  socket.write(`POST /kubernetes/management${widgets} HTTP/1.1\r\n${headers}\r\n{`);
  const [said] = await once(socket, 'data');
  socket.destroy();
  return String(said);
}

it('the filters are in the order of REQ-29 (REQ-29)', () => {
  const pass: Filter = (exchange, next) => next(exchange);
  const filters = authenticatedFilters({
    clock: systemClock,
    log: silentLog,
    depth: 0,
    authenticate: () => undefined,
    auditLog: new MemoryAuditLog(),
    sourceLimit: pass,
    keyRate: pass,
    watchLimit: pass,
    inFlight: pass,
  });
  expect(filters.map(({ name }) => name)).toEqual([
    'finalize-reply',
    'request-info',
    'deadline',
    'source-limit',
    'authenticate',
    'audit',
    'key-rate',
    'watch-limit',
    'impersonate',
    'in-flight',
    'authorize',
  ]);
});

it('401 takes precedence over 429, 403, and 404 or 405 (REQ-29)', async () => {
  await start({ chain: { inFlight: inFlightFilter({ clock: systemClock, reads: 0, waitMilliseconds: 0 }) } });
  const unknown = '/apis/none/v1/things/x';
  expect((await server.request('GET', unknown, { token: undefined })).status).toBe(401);
  expect((await server.request('GET', unknown)).status).toBe(429);
  server.plane.decide = () => ({ allowed: false, reason: '' });
  expect((await server.request('DELETE', unknown)).status).toBe(403);
  server.plane.decide = () => ({ allowed: true, reason: '' });
  expect((await server.request('DELETE', unknown)).status).toBe(404);
});

describe('the headers of every response', () => {
  it('contain the audit ID of the client or a new one (HDR-01)', async () => {
    const named = await server.request('GET', widgets, { headers: { 'audit-id': 'my-id' } });
    expect(named.headers['audit-id']).toBe('my-id');
    for (const path of [widgets, '/apis/none/v1/x', '//nowhere', '//version', '//%zz']) {
      expect((await server.request('GET', path)).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
    const forged = await server.request('GET', widgets, { headers: { 'audit-id': 'x'.repeat(1000) } });
    expect(forged.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await server.request('GET', widgets, { token: undefined })).headers['audit-id']).toBeTruthy();
  });

  it('forbid caching (HDR-02) and carry no ETag (HDR-08)', async () => {
    for (const path of [widgets, '/apis/none/v1/x']) {
      const { headers } = await server.request('GET', path);
      expect(headers['cache-control']).toBe('no-cache, private');
      expect(headers.etag).toBeUndefined();
      expect(headers.date).toBeTruthy();
      expect(headers['content-length']).toBeTruthy();
    }
  });
});

describe('authentication', () => {
  it('a 401 response contains only the word Unauthorized (ERR-13, ERR-01)', async () => {
    for (const headers of [
      {},
      { authorization: 'Basic x' },
      { authorization: 'Bearer nonsense' },
      { authorization: 'Bearer' },
    ]) {
      const { status, json } = await server.request('GET', widgets, { token: undefined, headers });
      expect(status).toBe(401);
      expect(json).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      });
    }
  });

  it('the Bearer scheme is case-insensitive', async () => {
    const headers = { authorization: 'bearer admin-token' };
    expect((await server.request('GET', widgets, { token: undefined, headers })).status).toBe(200);
  });

  it('no request leaves a listener on the session', async () => {
    await server.request('GET', widgets);
    await server.request('GET', `${widgets}/nobody`);
    const watch = await server.raw('GET', `${widgets}?watch=1`);
    const signal = server.sessions.get('admin')?.signal ?? new AbortController().signal;
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    server.plane.events.end();
    await watch.body.dump();
    await server.request('GET', widgets);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('a request ends with its session', async () => {
    await server.request('GET', widgets);
    server.sessions.get('admin')?.abort();
    expect((await server.request('GET', widgets)).status).toBe(401);
  });
});

describe('authorization', () => {
  it('a denial names the user, the verb, the resource and the scope (ERR-09, ERR-10)', async () => {
    server.plane.decide = () => ({ allowed: false, reason: '' });
    const message = async (method: string, path: string) =>
      (await server.request(method, path, { token: 'eve-token' })).json;
    expect(await message('GET', `${widgets}/x/status`)).toMatchObject({
      message:
        'widgets.example.dev "x" is forbidden: User "eve" cannot get resource "widgets/status" in API group "example.dev" in the namespace "a"',
      reason: 'Forbidden',
      details: { name: 'x', group: 'example.dev', kind: 'widgets' },
    });
    expect((await message('GET', '/api/v1/namespaces')).message).toBe(
      'namespaces is forbidden: User "eve" cannot list resource "namespaces" in API group "" at the cluster scope',
    );
    server.plane.decide = () => ({ allowed: false, reason: 'out of scope' });
    expect((await message('GET', '/api/v1/namespaces')).message).toMatch(/at the cluster scope: out of scope$/);
  });

  it('a denied path has empty details and is escaped (ERR-11, ERR-12)', async () => {
    server.plane.decide = () => ({ allowed: false, reason: '' });
    const { json, headers } = await server.request('GET', '/%3Cscript%3E&x', { token: 'eve-token' });
    expect(json.message).toBe('forbidden: User "eve" cannot get path "/&lt;script&gt;&amp;x"');
    expect(json.details).toEqual({});
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('the name in a field selector is authorized (REQ-06)', async () => {
    const asked: unknown[] = [];
    server.plane.decide = (_identity, attributes) => {
      asked.push(attributes);
      return { allowed: true, reason: '' };
    };
    await server.request('GET', `${widgets}?fieldSelector=metadata.name%3Dx`);
    expect(asked).toEqual([
      {
        resourceRequest: true,
        verb: 'list',
        group: 'example.dev',
        version: 'v1',
        resource: 'widgets',
        subresource: '',
        namespace: 'a',
        name: 'x',
      },
    ]);
  });
});

describe('impersonation', () => {
  const asBob = { 'impersonate-user': 'bob', 'impersonate-group': ['devs', 'ops'], 'impersonate-extra-team%2Fx': 'y' };

  it('impersonation requires a permission for each part (AUTHZ-08)', async () => {
    server.plane.decide = (identity, { verb }) => ({
      allowed: verb !== 'impersonate' || identity.user.name === 'admin',
      reason: '',
    });
    const { status, json } = await server.request('GET', widgets, { token: 'eve-token', headers: asBob });
    expect(status).toBe(403);
    expect(json.message).toBe(
      'users "bob" is forbidden: User "eve" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    server.plane.decide = (_identity, attributes) => ({
      allowed: !(attributes.resourceRequest && attributes.resource === 'groups' && attributes.name === 'ops'),
      reason: '',
    });
    expect((await server.request('GET', widgets, { headers: asBob })).json.message).toMatch(
      /^groups "ops" is forbidden/,
    );
  });

  it('impersonation requires a permission for extra data of any name (AUTHZ-08)', async () => {
    server.plane.decide = (_identity, attributes) => ({
      allowed: !(attributes.resourceRequest && attributes.resource === 'userextras'),
      reason: '',
    });
    const headers = { 'impersonate-user': 'bob', 'impersonate-extra-__proto__': 'y' };
    expect((await server.request('GET', widgets, { headers })).json.message).toMatch(
      /^userextras\.authentication\.k8s\.io "y" is/,
    );
  });

  it('an impersonated request keeps the access key of the caller and is audited', async () => {
    expect((await server.request('POST', widgets, { headers: asBob, body })).status).toBe(201);
    expect(server.plane.calls[0]?.context).toMatchObject({
      user: { name: 'bob', groups: ['devs', 'ops', 'system:authenticated'], extra: { 'team/x': ['y'] } },
      accessKey: 'admin-key',
      system: false,
    });
    expect(server.auditLog.events.at(-1)).toMatchObject({
      user: { username: 'admin' },
      impersonatedUser: { username: 'bob' },
    });
  });

  it('an impersonated service account is authorized by its name and gets its own groups (AUTHZ-08)', async () => {
    const asked: unknown[] = [];
    server.plane.decide = (_identity, attributes) => {
      asked.push(attributes);
      return { allowed: true, reason: '' };
    };
    const groupsAs = async (user: string, group: string | undefined = undefined) => {
      const headers = { 'impersonate-user': user, ...(group === undefined ? {} : { 'impersonate-group': group }) };
      await server.request('GET', widgets, { headers });
      return server.plane.calls.at(-1)?.context.user.groups;
    };
    expect(await groupsAs('system:serviceaccount:a:bot')).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:a',
      'system:authenticated',
    ]);
    expect(asked[0]).toMatchObject({ verb: 'impersonate', resource: 'serviceaccounts', namespace: 'a', name: 'bot' });
    expect(await groupsAs('system:serviceaccount:a:bot', 'x')).toEqual(['x', 'system:authenticated']);
    expect(await groupsAs('system:serviceaccount:A:bot')).toEqual(['system:authenticated']);
    expect(await groupsAs('system:anonymous')).toEqual(['system:unauthenticated']);
    expect(await groupsAs('bob', 'system:unauthenticated')).toEqual(['system:unauthenticated']);
  });

  it('impersonation of groups without a user is rejected', async () => {
    expect((await server.request('GET', widgets, { headers: { 'impersonate-group': 'x' } })).status).toBe(400);
  });
});

describe('audit', () => {
  it('audit records request and response bodies if a rule says so', async () => {
    const rules = [{ level: 'Request', verbs: ['create'] } as const, { level: 'RequestResponse' } as const];
    await start({ chain: { auditRules: rules } });
    await server.request('POST', widgets, { body });
    const [before, after] = server.auditLog.events;
    expect(before).not.toHaveProperty('requestObject');
    expect(after).toMatchObject({ level: 'Request', requestObject: { metadata: { name: 'x' } } });
    expect(after).not.toHaveProperty('responseObject');
    await server.request('GET', `${widgets}/x`);
    expect(server.auditLog.events.at(-1)).toMatchObject({ responseObject: { metadata: { name: 'x' } } });
    await server.request('PATCH', `${widgets}/x`, {
      body: '{"metadata":{"labels":{"a":"b"}}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(server.auditLog.events.at(-1)).toMatchObject({
      requestObject: { metadata: { labels: { a: 'b' } } },
      responseObject: { metadata: { name: 'x' } },
    });
    await server.request('GET', widgets);
    expect(server.auditLog.events.at(-1)).toMatchObject({ responseObject: { items: [{ metadata: { name: 'x' } }] } });
  });

  it('audit records a write before and after its execution (completions §11)', async () => {
    await server.request('POST', `${widgets}?dryRun=All`, {
      body,
      headers: { 'user-agent': 'test/1', 'audit-id': 'one' },
    });
    expect(server.auditLog.events).toMatchObject([
      {
        level: 'Metadata',
        stage: 'RequestReceived',
        auditID: 'one',
        verb: 'create',
        user: { username: 'admin', groups: ['testers'] },
        accessKey: 'admin-key',
        sourceIPs: ['127.0.0.1'],
        userAgent: 'test/1',
        objectRef: { resource: 'widgets', namespace: 'a', apiGroup: 'example.dev', apiVersion: 'v1' },
        requestURI: `/kubernetes/management${widgets}?dryRun=All`,
      },
      { stage: 'ResponseComplete', responseStatus: { code: 201 }, decision: { allowed: true, reason: 'test' } },
    ]);
  });

  it('a write that cannot be audited is not executed', async () => {
    server.auditLog.broken = true;
    const { status, json, headers } = await server.request('POST', widgets, { body });
    expect([status, json.reason]).toEqual([503, 'ServiceUnavailable']);
    expect(headers['retry-after']).toBe('5');
    expect(server.plane.calls).toEqual([]);
    expect((await server.request('GET', widgets)).status).toBe(200);
  });

  it('a write that cannot be audited is executed if so configured', async () => {
    await start({ chain: { whenAuditUnwritable: 'continue' } });
    server.auditLog.broken = true;
    expect((await server.request('POST', widgets, { body })).status).toBe(201);
  });

  it('audit records reads only if they are denied', async () => {
    await server.request('GET', widgets);
    expect(server.auditLog.events).toEqual([]);
    server.plane.decide = () => ({ allowed: false, reason: 'no rule' });
    await server.request('GET', widgets);
    expect(server.auditLog.events).toMatchObject([
      {
        stage: 'ResponseComplete',
        responseStatus: { code: 403, reason: 'Forbidden' },
        decision: { allowed: false, reason: 'no rule' },
      },
    ]);
  });

  it('audit records failed authentications without the credential', async () => {
    await server.request('GET', widgets, { token: 'flk_secret' });
    expect(server.auditLog.events).toMatchObject([{ stage: 'ResponseComplete', responseStatus: { code: 401 } }]);
    expect(JSON.stringify(server.auditLog.events)).not.toContain('flk_secret');
  });

  it('audit records the reason of a failed write', async () => {
    await server.request('DELETE', `${widgets}/nobody`);
    expect(server.auditLog.events.at(-1)).toMatchObject({ responseStatus: { code: 404, reason: 'NotFound' } });
  });
});

describe('internal errors', () => {
  it('are logged with their stack and not revealed in the response (ERR-18, REQ-30)', async () => {
    const logged: unknown[] = [];
    const log: Log = { ...silentLog, error: (members) => logged.push(members) };
    await start({ log });
    server.plane.decide = () => {
      throw new Error('the secret of the database');
    };
    const { status, json, text } = await server.request('GET', widgets);
    expect([status, json.reason]).toEqual([500, 'InternalError']);
    expect(text).not.toContain('secret');
    expect(logged).toMatchObject([{ err: { message: 'the secret of the database' } }]);
  });
});

describe('requests in flight', () => {
  it('beyond the limit are rejected with a Status and Retry-After (ERR-15, ERR-21)', async () => {
    await start({ chain: { inFlight: inFlightFilter({ clock: systemClock, writes: 0, waitMilliseconds: 0 }) } });
    const { status, json, headers } = await server.request('POST', widgets, { body });
    expect(status).toBe(429);
    expect(json).toMatchObject({
      kind: 'Status',
      reason: 'TooManyRequests',
      message: 'Too many requests, please try again later.',
      details: { retryAfterSeconds: 1 },
    });
    expect(headers['retry-after']).toBe('1');
    expect((await server.request('GET', widgets)).status).toBe(200);
  });

  it.each([
    [401, 'nonsense'],
    [403, 'eve-token'],
    [429, 'admin-token'],
  ])('get %i before their body has arrived (REQ-29)', async (code, token) => {
    const writes = code === 429 ? 0 : 1;
    await start({ chain: { inFlight: inFlightFilter({ clock: systemClock, writes, waitMilliseconds: 0 }) } });
    server.plane.decide = () => ({ allowed: false, reason: '' });
    expect(await beginToPost(token)).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
  });

  it('do not include started watches', async () => {
    await start({ chain: { inFlight: inFlightFilter({ clock: systemClock, reads: 1, waitMilliseconds: 0 }) } });
    const first = await server.raw('GET', `${widgets}?watch=1`);
    expect((await server.request('GET', widgets)).status).toBe(200);
    server.plane.events.end();
    await first.body.dump();
  });
});

it('onComplete is called for each response', async () => {
  const seen: string[] = [];
  await start({
    chain: {
      onComplete: (exchange, reply, milliseconds) => {
        seen.push(`${exchange.info.verb} ${reply.status} ${milliseconds >= 0}`);
      },
    },
  });
  await server.request('GET', widgets);
  await server.request('GET', `${widgets}/nobody`);
  await server.request('GET', widgets, { token: undefined });
  expect(seen).toEqual(['list 200 true', 'get 404 true', 'list 401 true']);
});

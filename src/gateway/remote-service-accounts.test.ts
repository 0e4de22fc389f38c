import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type JsonObject, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { demoInstancePath, ForwardingTestEnv, farClusterPath } from './forwarding.fixture.ts';

const claims = (more: JsonObject) => Buffer.from(JSON.stringify(more)).toString('base64url');
const robot = 'system:serviceaccount:default:robot';
const token = (more: JsonObject = {}) => `e30.${claims({ sub: robot, ...more })}.c2ln`;

describe('a remote cluster', () => {
  const at = ForwardingTestEnv.forEach();
  const reviews = () => at.state.seen.filter(({ url = '' }) => url.endsWith('/tokenreviews'));
  const asked = () => at.state.seen.filter(({ url = '' }) => !url.includes('reviews'));

  /** Makes the cluster accept these tokens in TokenReviews. */
  function knows(...known: string[]): JsonObject[] {
    const bodies: JsonObject[] = [];
    at.state.respond = (request: IncomingMessage, response: ServerResponse) => {
      void (async () => {
        if (!request.url?.includes('reviews')) return response.end('{}');
        const review = (await json(request)) as JsonObject;
        bodies.push(review);
        const authenticated = known.includes(textAt(review, 'spec', 'token'));
        const groups = ['system:serviceaccounts', 'system:authenticated', 'platform:admins', 'system:masters'];
        const user = { username: robot, uid: 'u1', groups };
        const allowed = valueAt(review, 'spec', 'resourceAttributes', 'name') === 'bob';
        return response.end(JSON.stringify({ status: { authenticated, user, allowed } }));
      })();
    };
    return bodies;
  }

  it('receives a service account’s own token and no impersonation headers (completions §8)', async () => {
    const good = token();
    knows(good);
    expect((await at.request(`${demoInstancePath}/api`, { token: good })).code).toBe(200);
    expect((await at.request(`${demoInstancePath}/api`, { token: good })).code).toBe(200);
    expect(reviews().length).toBe(1);
    expect(reviews()[0]?.headers['impersonate-group']).toMatch(/system:masters/);
    const [first] = asked();
    expect(first?.headers.authorization).toBe(`Bearer ${good}`);
    expect(Object.keys(first?.headers ?? {}).filter((name) => name.startsWith('impersonate'))).toEqual([]);
    expect(at.state.audit.events.at(-1)).toMatchObject({
      user: { username: robot, groups: ['system:serviceaccounts', 'system:authenticated'] },
      responseStatus: { code: 200 },
    });
    expect(JSON.stringify(at.state.audit.events)).not.toContain(good);
  });

  it('receives only service account tokens, and none that this server issued (completions §8)', async () => {
    knows();
    for (const other of [
      'flk_something',
      'a.b.c',
      `e30.${claims({ sub: 'anna' })}.x`,
      `own.${claims({ sub: robot })}.x`,
      token({ exp: 1 }),
      `${token()}.more`,
      `e30.${claims({ sub: robot, pad: 'x'.repeat(20_000) })}.x`,
    ]) {
      expect((await at.request(`${demoInstancePath}/api`, { token: other })).code, other.slice(0, 60)).toBe(401);
    }
    expect(at.state.seen).toEqual([]);
    expect((await at.request(`${demoInstancePath}/api`, { token: token() })).code).toBe(401);
    expect(reviews().length).toBe(1);
    // Accounts of a virtual cluster have no access to the host cluster either.
    expect((await at.request(`${farClusterPath}/api`, { token: token() })).code).toBe(401);
    expect(reviews().length).toBe(1);
  });

  it('never receives the token of a user in a TokenReview, which reports the token as valid to that user', async () => {
    const bodies = knows('the-token-of-another');
    const path = `${demoInstancePath}/apis/authentication.k8s.io/v1/tokenreviews`;
    at.state.respond = ((respond) => (request, response) => {
      response.statusCode = 201;
      respond(request, response);
    })(at.state.respond);
    const review = async (reviewed: string, more: JsonObject = {}, headers: Record<string, string> = {}) =>
      await at.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ spec: { token: reviewed, ...more } }),
      });
    const own = await review('anna-token');
    expect([own.code, own.json]).toMatchObject([
      201,
      { spec: { token: 'anna-token' }, status: { authenticated: true, user: { username: 'anna' } } },
    ]);
    expect(JSON.stringify(own.json)).not.toContain('system:masters');
    expect(valueAt((await review('anna-token', { audiences: ['x'] })).json, 'status', 'authenticated')).toBe(false);
    const acting = await review('anna-token', {}, { 'impersonate-user': 'bob' });
    expect([acting.code, valueAt(acting.json, 'status', 'authenticated')]).toEqual([201, false]);
    expect(JSON.stringify(bodies)).not.toContain('anna-token');
    expect(valueAt((await review('the-token-of-another')).json, 'status', 'authenticated')).toBe(true);
    expect(valueAt((await review('unknown')).json, 'status', 'authenticated')).toBe(false);
    at.state.respond = (_request, response) => void response.writeHead(403).end('{"kind":"Status","code":403}');
    expect((await review('anna-token')).code).toBe(403);
  });

  it('rejects a revoked token itself, and the caller gets its response', async () => {
    const good = token();
    knows(good);
    expect((await at.request(`${demoInstancePath}/api`, { token: good })).code).toBe(200);
    at.state.respond = (_request, response) => void response.writeHead(401).end('{"kind":"Status","code":401}');
    expect((await at.request(`${demoInstancePath}/api`, { token: good })).code).toBe(401);
  });

  it('is not woken by a service account token, and only a known caller learns that it sleeps (completions §8)', async () => {
    const good = token();
    knows(good);
    at.state.phase = 'Sleeping';
    expect((await at.request(`${demoInstancePath}/api`, { token: good })).code).toBe(401);
    at.state.phase = 'Ready';
    expect((await at.request(`${demoInstancePath}/api`, { token: good })).code).toBe(200);
    at.state.phase = 'Sleeping';
    const { code, json: status } = await at.request(`${demoInstancePath}/api`, { token: good });
    expect([code, textAt(status, 'message')]).toEqual([503, expect.stringMatching(/"demo" is asleep/)]);
    expect((await at.request(`${demoInstancePath}/api`, { token: token({ other: true }) })).code).toBe(401);
    expect(at.state.woken).toBe(0);
    at.state.phase = 'Ready';
    await at.stopTarget();
    expect((await at.request(`${demoInstancePath}/api`, { token: token({ other: true }) })).code).toBe(401);
  });

  it('is woken by a permitted caller, whose request waits (completions §3)', async () => {
    at.state.phase = 'Sleeping';
    const waiting = [1, 2, 3].map(() => at.request(`${demoInstancePath}/api`));
    while (at.state.woken === 0) await new Promise((resolve) => setImmediate(resolve));
    at.state.phase = 'Ready';
    at.state.onHostChange();
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual([200, 200, 200]);
    expect(at.state.woken).toBe(1);
    expect(at.gateways.activity.lastActivity('i1')).toBeGreaterThan(0);
  });

  it('does not block other requests while callers wait for a wake or for an unsynced host (completions §10)', async () => {
    at.state.phase = 'Sleeping';
    // More than this server's in-flight limit.
    const waiting = Array.from({ length: 30 }, () => at.request(`${demoInstancePath}/api`));
    while (at.state.woken === 0) await new Promise((resolve) => setImmediate(resolve));
    const codes = [1, 2, 3].map(async () => (await at.request(`${farClusterPath}/api`)).code);
    expect(await Promise.all(codes)).toEqual([200, 200, 200]);
    at.state.phase = 'Ready';
    at.state.onHostChange();
    expect((await Promise.all(waiting)).every(({ code }) => code === 200)).toBe(true);
    let answer = () => {};
    at.state.hostSynced = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const unheard = Array.from({ length: 30 }, () => at.request(`${demoInstancePath}/api`));
    expect((await at.request(`${farClusterPath}/api`)).code).toBe(200);
    answer();
    expect((await Promise.all(unheard)).every(({ code }) => code === 200)).toBe(true);
  });

  it('decides about impersonation, which never bypasses the gate (AUTHZ-08, completions §8)', async () => {
    const bodies = knows();
    const as = (user: string, more: Record<string, string> = {}, who = 'anna-token') =>
      at.request(`${demoInstancePath}/api/v1/namespaces`, {
        token: who,
        headers: { 'impersonate-user': user, ...more },
      });
    expect((await as('bob')).code).toBe(200);
    expect(bodies[0]).toMatchObject({
      kind: 'SubjectAccessReview',
      spec: {
        user: 'anna',
        groups: ['testers', 'system:authenticated', 'platform:role:cluster-admin'],
        resourceAttributes: { verb: 'impersonate', resource: 'users', name: 'bob' },
      },
    });
    expect(asked().at(-1)?.headers).toMatchObject({
      'impersonate-user': 'bob',
      'impersonate-group': 'system:authenticated',
    });
    expect((await as('carl')).code).toBe(403);
    expect((await as('bob', { 'impersonate-group': 'system:masters' })).code).toBe(403);
    expect((await as('bob', { 'impersonate-extra-a': 'b' })).code).toBe(403);
    expect(asked().length).toBe(1);
    // Inside the instance, an admin of the installation is in system:masters.
    expect((await as('carl', { 'impersonate-group': 'x' }, 'root-token')).code).toBe(200);
    at.state.decide = (_who, attributes) => ({ allowed: attributes.verb !== 'list', reason: '' });
    expect((await as('bob')).code).toBe(403);
  });
});

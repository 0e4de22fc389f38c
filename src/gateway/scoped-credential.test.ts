import { json } from 'node:stream/consumers';
import { type JsonObject, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../auth/authz/attributes.ts';
import { demoInstancePath, ForwardingTestEnv } from './forwarding.fixture.ts';

const reviews = `${demoInstancePath}/apis/authorization.k8s.io/v1`;
const maps = '/api/v1/namespaces/a/configmaps';

describe('a scoped credential in a remote cluster', () => {
  const at = ForwardingTestEnv.forEach();
  const asked = () => at.state.seen.map(({ method, url }) => `${method} ${url}`);

  /** Allows these verbs on config maps, and self reviews. */
  function narrowTo(...verbs: string[]): void {
    at.state.decide = (_who, attributes: Attributes) => {
      const isReview = attributes.resourceRequest && attributes.group === 'authorization.k8s.io';
      const isMap = attributes.resourceRequest && attributes.resource === 'configmaps';
      const allowed = isReview || (isMap && verbs.includes(attributes.verb)) || !attributes.resourceRequest;
      return { allowed, reason: allowed ? '' : 'outside the scope of the access key', scopes: ['{}'] };
    };
  }

  it('gets access reviews that match its own requests (AUTHZ-01, completions §5)', async () => {
    narrowTo('get');
    at.state.respond = (request, response) => {
      void json(request).then((review) => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...(review as object), status: { allowed: true } }));
      });
    };
    const may = async (verb: string, resource: string) => {
      const body = JSON.stringify({ spec: { resourceAttributes: { verb, resource, namespace: 'a' } } });
      const { code, json: review } = await at.request(`${reviews}/selfsubjectaccessreviews`, { method: 'POST', body });
      expect(code).toBe(201);
      return valueAt(review, 'status', 'allowed');
    };
    expect(await may('get', 'configmaps')).toBe(true);
    expect(at.state.seen.length).toBe(1);
    expect(await may('delete', 'configmaps')).toBe(false);
    expect(await may('get', 'secrets')).toBe(false);
    expect(at.state.seen.length).toBe(1);
    const odd = await at.request(`${reviews}/selfsubjectaccessreviews`, { method: 'POST', body: 'spec: {}' });
    expect(odd.code).toBe(415);
  });

  it('gets only the rules within its scope (AUTHZ-05, completions §5)', async () => {
    narrowTo('get', 'list');
    const status = {
      resourceRules: [
        { verbs: ['get', 'list', 'delete'], apiGroups: [''], resources: ['configmaps', 'secrets'] },
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      ],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/api', '/version'] }],
      incomplete: false,
    };
    at.state.respond = (_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'SelfSubjectRulesReview', status }));
    };
    const rules = async (): Promise<JsonObject> => {
      const body = JSON.stringify({ spec: { namespace: 'a' } });
      const answer = await at.request(`${reviews}/selfsubjectrulesreviews`, { method: 'POST', body });
      expect(answer.code).toBe(201);
      return answer.json;
    };
    expect((await rules()).status).toMatchObject({
      resourceRules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }],
      incomplete: true,
    });
    at.state.decide = () => ({ allowed: true, reason: '' });
    expect((await rules()).status).toEqual(status);
  });

  it('cannot create by update or apply an object that it may only change (completions §5)', async () => {
    narrowTo('get', 'update', 'patch');
    let isThere = true;
    at.state.respond = (request, response) => {
      const { method } = request;
      request.resume();
      response.writeHead(method === 'GET' && !isThere ? 404 : 200).end('{}');
    };
    const apply = { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' }, body: '{}' };
    const merge = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: '{}' };
    const put = { method: 'PUT', body: '{}' };
    expect((await at.request(`${demoInstancePath}${maps}/x?fieldManager=me`, apply)).code).toBe(200);
    expect((await at.request(`${demoInstancePath}${maps}/x`, put)).code).toBe(200);
    expect((await at.request(`${demoInstancePath}${maps}/x`, merge)).code).toBe(200);
    expect(asked()).toEqual([
      `GET ${maps}/x`,
      `PATCH ${maps}/x?fieldManager=me`,
      `GET ${maps}/x`,
      `PUT ${maps}/x`,
      `PATCH ${maps}/x`,
    ]);
    isThere = false;
    at.state.seen.length = 0;
    expect((await at.request(`${demoInstancePath}${maps}/x?fieldManager=me`, apply)).code).toBe(403);
    expect((await at.request(`${demoInstancePath}${maps}/x`, put)).code).toBe(403);
    expect(asked()).toEqual([`GET ${maps}/x`, `GET ${maps}/x`]);
    narrowTo('get', 'update', 'patch', 'create');
    at.state.seen.length = 0;
    expect((await at.request(`${demoInstancePath}${maps}/x?fieldManager=me`, apply)).code).toBe(200);
    expect(asked()).toEqual([`PATCH ${maps}/x?fieldManager=me`]);
  });

  it('cannot open a shell over a WebSocket with permission to get only', async () => {
    at.state.decide = (_who, { verb }) => ({ allowed: verb === 'get', reason: '' });
    at.state.onUpgrade = (_request, socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const open = (part: string) =>
      at.rawResponse(
        `GET ${demoInstancePath}/api/v1/namespaces/a/pods/x/${part} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer anna-token\r\n` +
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      );
    for (const part of ['exec?command=sh', 'attach', 'portforward']) expect(await open(part)).toMatch(/^HTTP\/1.1 403/);
    expect(at.state.seen).toEqual([]);
    expect(await open('log?follow=true')).toMatch(/^HTTP\/1.1 101/);
  });
});

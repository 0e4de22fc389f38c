import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { directTokenAudience } from '../../auth/direct-token.ts';
import { verifyDirectToken } from '../../auth/verify-direct-token.ts';
import { groupPath, type RequestOptions, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

const path = `${groupPath}/directclusterendpointtokens`;

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

async function makeToken(server: RunningServer, spec: JsonObject = {}, token?: string): Promise<string> {
  const call: RequestOptions = { method: 'POST', body: { spec }, ...(token === undefined ? {} : { token }) };
  const answer = await bench.send(server, path, call);
  expect(answer.code, answer.text).toBe(201);
  return textAt(answer.json, 'status', 'token');
}

async function publicKeys(server: RunningServer): Promise<JSONWebKeySet> {
  const response = await bench.request(server, '/auth/jwks', { token: '' });
  expect(response.headers['content-type']).toBe('application/jwk-set+json');
  return (await response.body.json()) as JSONWebKeySet;
}

describe('direct-endpoint tokens over HTTP (completions §6)', () => {
  it('can be verified with the keys from /auth/jwks, by any JWT library and by ours', async () => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    const key = await bench.createKey(server, 'annas', { user: 'anna' });
    const token = await makeToken(server, { ttl: 60 }, key);
    const keys = await publicKeys(server);
    const selves = await bench.send(server, `${groupPath}/selves`, { method: 'POST', body: {} });
    const issuer = textAt(selves.json, 'status', 'instanceID');
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer, audience: directTokenAudience });
    expect(payload).toMatchObject({ sub: 'anna', accessKey: { name: 'annas' }, scopes: [] });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
    const verified = await verifyDirectToken(token, { keys, issuer, now: Date.now() });
    expect(verified.claims?.groups).toContain('platform:user:anna');
  });

  it('are rejected by the server itself with 401 (completions §6)', async () => {
    const server = await bench.start();
    const token = await makeToken(server);
    for (const each of [path, `${groupPath}/projects`, '/metrics', '/auth/logout', '/kubernetes/cluster/local/api']) {
      const call: RequestOptions = each === '/auth/logout' ? { method: 'POST', token } : { token };
      const answer = await bench.send(server, each, call);
      expect(answer.code, each).toBe(401);
      expect(answer.json).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
    }
  });

  it('support only create, as discovery states', async () => {
    const server = await bench.start();
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await bench.send(server, path, { method })).code).toBe(405);
    }
    expect((await bench.send(server, `${path}/x`)).code).toBe(405);
    const { json } = await bench.send(server, groupPath);
    const found = listAt(json, 'resources').find((each) => textAt(each, 'name') === 'directclusterendpointtokens');
    expect(found).toMatchObject({ kind: 'DirectClusterEndpointToken', namespaced: false, verbs: ['create'] });
  });

  it('are rejected with a Status that names every fault', async () => {
    const server = await bench.start();
    const refused = await bench.send(server, path, { method: 'POST', body: { spec: { ttl: 0, scope: {} } } });
    expect(refused).toMatchObject({ code: 422, json: { reason: 'Invalid' } });
    expect(listAt(refused.json, 'details', 'causes')).toHaveLength(2);
    expect((await bench.send(server, path, { method: 'POST', body: [] })).code).toBe(400);
    expect((await bench.send(server, path, { method: 'POST', body: {}, token: 'x' })).code).toBe(401);
  });

  it('are limited to the expiry of their key, with a warning', async () => {
    const server = await bench.start();
    const token = await bench.createKey(server, 'short', { ttl: 120 });
    const response = await bench.request(server, path, { method: 'POST', body: {}, token });
    expect(response.statusCode).toBe(201);
    expect(response.headers.warning).toMatch(
      /^299 - "the token expires in \d+ seconds: it does not outlive its access key"$/,
    );
    await response.body.dump();
  });

  it('contain the scopes of the requesting key', async () => {
    const server = await bench.start();
    const scope = { projects: [{ project: 'default' }] };
    const token = await makeToken(server, {}, await bench.createKey(server, 'narrow', { scope }));
    const { payload } = await jwtVerify(token, createLocalJWKSet(await publicKeys(server)));
    expect(payload.scopes).toEqual([scope]);
  });

  it('are audited when issued, without their value at every level', async () => {
    const config = join(bench.root, 'config.yaml');
    await writeFile(config, JSON.stringify({ audit: { rules: [{ level: 'RequestResponse' }] } }));
    const server = await bench.start({ config });
    const token = await makeToken(server, { ttl: 77 });
    const log = await bench.read('audit.log');
    const lines = log.split('\n').filter((line) => line.includes('directclusterendpointtokens'));
    expect(lines.map((line) => JSON.parse(line).stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ verb: 'create', user: { username: 'admin' } });
    for (const part of token.split('.')) expect(log).not.toContain(part);
    const metrics = await bench.send(server, '/metrics');
    expect(metrics.text).not.toContain(token.split('.')[2]);
  });

  it('stay valid after a restart', async () => {
    const server = await bench.start();
    const token = await makeToken(server);
    await bench.stop(server);
    const keys = await publicKeys(await bench.start());
    await expect(jwtVerify(token, createLocalJWKSet(keys))).resolves.toBeDefined();
  });
});

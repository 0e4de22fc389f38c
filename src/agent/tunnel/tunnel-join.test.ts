import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JoinToken, readJoinToken, writeJoinToken } from '../../api/agent/join-token.ts';
import { type AgentKeyPair, generateAgentKeyPair } from '../../auth/agent/agent-key.ts';
import { joinTokenDigest, signAgentProof } from '../../auth/agent/agent-proof.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { groupPath, mergePatch } from '../../server/server.fixture.ts';
import { AgentTestEnv, agentCluster } from '../agent.fixture.ts';
import type { AgentOptions } from '../options.ts';

let at: AgentTestEnv;
beforeEach(async () => {
  at = await AgentTestEnv.open();
});
afterEach(() => at.close());

const clusterPath = `${groupPath}/clusters/${agentCluster}`;
const send = (path: string, call: Parameters<typeof at.serverEnv.send>[2] = {}) =>
  at.serverEnv.send(at.server, path, call);
const post = (path: string, token: string, body: JsonValue) => send(path, { method: 'POST', token, body });
const atAgentApi = (path: string, cluster = agentCluster) => `/kubernetes/agent/${cluster}/${path}`;

async function joinToken(spec: JsonObject = {}, cluster = agentCluster): Promise<JoinToken> {
  const response = await send(`${groupPath}/clusters/${cluster}/jointoken`, { method: 'POST', body: { spec } });
  expect(response.code, response.text).toBe(201);
  const token = readJoinToken(textAt(response.json, 'status', 'token'));
  if (token === undefined) throw new Error('the server returned no join token');
  return token;
}

/** Starts an agent that has only a join token. */
const startWith = (token: JoinToken | undefined, settings: Partial<AgentOptions> = {}, clock: Clock = systemClock) =>
  at.start(
    {
      management: undefined,
      caFile: undefined,
      cluster: undefined,
      accessKeyFile: undefined,
      joinToken: token && writeJoinToken(token),
      usesTunnel: true,
      ...settings,
    },
    clock,
  );

/** Returns the request to join of an agent with this key. `proof` replaces parts of its proof. */
function joinRequest(token: JoinToken, keyPair: AgentKeyPair, proof: Parameters<typeof sign>[2] = {}) {
  return { publicKey: keyPair.publicKey.pem, proof: sign(token, keyPair, proof) };
}

function sign(
  { installation, cluster, secret }: JoinToken,
  keyPair: AgentKeyPair,
  changes: { readonly cluster?: string; readonly installation?: string; readonly secret?: string; now?: number } = {},
): string {
  const { now = Date.now(), ...rest } = changes;
  const claims = { installation, cluster, joinToken: joinTokenDigest(changes.secret ?? secret), ...rest };
  return signAgentProof(keyPair, claims, now);
}

/** Joins without running an agent. Returns a function that signs requests with the new key. */
async function joined(token: JoinToken) {
  const keyPair = generateAgentKeyPair();
  const response = await post(atAgentApi('join', token.cluster), token.secret, joinRequest(token, keyPair));
  expect(response.code, response.text).toBe(200);
  const { installation, cluster } = token;
  return {
    keyPair,
    proof: (now = Date.now()) => signAgentProof(keyPair, { installation, cluster }, now),
  };
}

const shownAgent = async () =>
  ((await send(clusterPath)).json as { status: { agents?: JsonObject[] } }).status.agents?.[0] ?? {};
const use = (token: string, cluster = agentCluster) => post(atAgentApi('activity', cluster), token, { used: [] });
const waitUntilReady = () =>
  expect
    .poll(async () => (await send(`/kubernetes/cluster/${agentCluster}/api/v1/namespaces`)).code, { timeout: 20_000 })
    .toBe(200);

describe('an agent with a join token', () => {
  it('joins with nothing but the token, and the server uses its cluster and shows its key', async () => {
    await startWith(await joinToken());
    await at.createInstance('vc');
    const agent = await shownAgent();
    expect(agent).toMatchObject({ keyFingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/) });
    expect(Date.now() - Date.parse(textAt(agent, 'joinedAt'))).toBeLessThan(60_000);
    const keys = listAt((await send(`${groupPath}/accesskeys`)).json, 'items') as JsonObject[];
    const own = keys.filter((key) => textAt(key, 'spec', 'type') === 'Agent');
    expect(own.map((key) => textAt(key, 'spec', 'agentKey', 'fingerprint'))).toEqual([textAt(agent, 'keyFingerprint')]);
  });

  it('stores its key sealed, and needs no token after a restart', async () => {
    const token = await joinToken();
    await startWith(token);
    await waitUntilReady();
    const { keyFingerprint } = await shownAgent();
    await at.stopAgent();
    const names = await readdir(at.dataDir);
    expect(names).toContain('identity.sealed');
    expect(await readFile(join(at.dataDir, 'identity.sealed'), 'utf8')).not.toMatch(/PRIVATE KEY|server|edge/);
    await startWith(undefined);
    await waitUntilReady();
    await at.stopAgent();
    // Start again with the same flags, as a service manager does, although the token is used.
    await startWith(token);
    await waitUntilReady();
    expect((await shownAgent()).keyFingerprint).toBe(keyFingerprint);
  });

  it('joins although its clock is wrong by a day', async () => {
    await startWith(await joinToken(), {}, { ...systemClock, now: () => systemClock.now() - 24 * 3600_000 });
    await expect.poll(async () => (await shownAgent()).keyFingerprint, { timeout: 20_000 }).toBeDefined();
  });

  it('replaces an access key: the access key ends when the agent has joined', async () => {
    const key = await readFile(join(at.serverEnv.root, 'agent.key'), 'utf8').then((text) => text.trim());
    expect((await use(key)).code).toBe(200);
    const token = await joinToken();
    expect((await use(key)).code).toBe(200);
    await startWith(token);
    await waitUntilReady();
    expect((await use(key)).code).toBe(401);
  });

  it('does not start without a credential, or with a token that is damaged or refused', async () => {
    await expect(startWith(undefined)).rejects.toThrow(/no credential: use --join-token/);
    await expect(startWith(undefined, { joinToken: 'join1.e30.x' })).rejects.toThrow('not a join token');
    const token = await joinToken();
    await rm(at.dataDir, { recursive: true, force: true });
    await expect(startWith({ ...token, secret: await at.createAgentKey() })).rejects.toThrow(
      /refuses the join token: .*only a join token may be used to join; .*flotilla cluster rejoin edge/,
    );
  });

  it('continues if it ended before the response to its request arrived', async () => {
    const token = await joinToken();
    const file = join(at.serverEnv.root, 'token');
    await writeFile(file, writeJoinToken(token));
    await startWith(undefined, { joinTokenFile: file });
    await waitUntilReady();
    await at.stopAgent();
    const { IdentityFile } = await import('../join/identity-file.ts');
    const { openSealer } = await import('../../seal/open-sealer.ts');
    const { readSealKeyFile } = await import('../../seal/seal-key-file.ts');
    const [sealKey = new Uint8Array()] = (await readSealKeyFile(join(at.dataDir, 'seal.key'))) ?? [];
    const identities = new IdentityFile(join(at.dataDir, 'identity.sealed'), openSealer(sealKey, []));
    const { current } = await identities.read();
    await identities.write({ joining: current });
    await startWith(undefined, { joinTokenFile: file });
    await waitUntilReady();
    expect(await identities.read()).toMatchObject({ current: { cluster: agentCluster }, joining: undefined });
  });
});

describe('a join token', () => {
  it('works once: a replayed token is refused, with the same key and with another one', async () => {
    const token = await joinToken();
    const { keyPair, proof } = await joined(token);
    for (const again of [keyPair, generateAgentKeyPair()]) {
      expect((await post(atAgentApi('join'), token.secret, joinRequest(token, again))).code).toBe(401);
    }
    expect((await use(proof())).code).toBe(200);
  });

  it('lets one of two agents join that use it at the same time', async () => {
    const token = await joinToken();
    const pairs = Array.from({ length: 5 }, generateAgentKeyPair);
    const responses = await Promise.all(
      pairs.map((pair) => post(atAgentApi('join'), token.secret, joinRequest(token, pair))),
    );
    const codes = responses.map(({ code }) => code);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code !== 200 && code !== 401 && code !== 409)).toEqual([]);
    const { installation, cluster } = token;
    const usable = await Promise.all(
      pairs.map(async (pair) => (await use(signAgentProof(pair, { installation, cluster }, Date.now()))).code),
    );
    expect(usable).toEqual(codes.map((code) => (code === 200 ? 200 : 401)));
  });

  it('permits nothing but to join its own cluster', async () => {
    await at.serverEnv.createObject(at.server, 'clusters', 'other', { networkPeer: true });
    const { secret, ...rest } = await joinToken();
    const codes = await Promise.all([
      send(atAgentApi('policy'), { token: secret }).then(({ code }) => code),
      use(secret).then(({ code }) => code),
      send(`${groupPath}/projects`, { token: secret }).then(({ code }) => code),
      post('/auth/token', '', { accessKey: secret }).then(({ code }) => code),
    ]);
    expect(codes.filter((code) => code < 400)).toEqual([]);
    const elsewhere = { ...rest, secret, cluster: 'other' };
    const stolen = await post(atAgentApi('join', 'other'), secret, joinRequest(elsewhere, generateAgentKeyPair()));
    expect(stolen.code).toBe(403);
    const { keyPair } = await joined({ ...rest, secret });
    expect(keyPair.publicKey.fingerprint).toMatch(/^SHA256:/);
  });

  it('ends when a newer one is created, and is refused for an agent that has joined', async () => {
    const first = await joinToken();
    const second = await joinToken();
    const refused = await post(atAgentApi('join'), first.secret, joinRequest(first, generateAgentKeyPair()));
    expect(refused.code).toBe(401);
    await joined(second);
    const third = await send(`${clusterPath}/jointoken`, { method: 'POST', body: {} });
    expect(third.code).toBe(409);
    expect(third.text).toMatch(/SHA256:.* joined at .*flotilla cluster rejoin edge/);
  });

  it('cannot become a bearer token, and no client chooses the key of an agent', async () => {
    await joined(await joinToken());
    const keys = listAt((await send(`${groupPath}/accesskeys`)).json, 'items') as JsonObject[];
    const name = textAt(keys.find((key) => textAt(key, 'spec', 'type') === 'Agent') ?? {}, 'metadata', 'name');
    const value = 'a-long-value-of-an-access-key-0123456789';
    const patched = await send(`${groupPath}/accesskeys/${name}`, mergePatch({ spec: { key: value } }));
    expect([patched.code, patched.text]).toEqual([422, expect.stringContaining('spec.key')]);
    const { publicKey } = generateAgentKeyPair();
    const other = { publicKey: publicKey.pem, fingerprint: publicKey.fingerprint, joinedAt: '2026-01-01T00:00:00Z' };
    const replaced = await send(`${groupPath}/accesskeys/${name}`, mergePatch({ spec: { agentKey: other } }));
    expect(textAt(replaced.json, 'spec', 'agentKey', 'fingerprint')).not.toBe(publicKey.fingerprint);
  });
});

describe('the proof of an agent that joins', () => {
  it('must be signed with the key for this token, cluster, installation and time', async () => {
    const token = await joinToken();
    const keyPair = generateAgentKeyPair();
    const valid = joinRequest(token, keyPair);
    const [header = '', claims = '', signature = ''] = valid.proof.split('.');
    const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), jti: 'x' }));
    const tampered = {
      'another key': { ...valid, publicKey: generateAgentKeyPair().publicKey.pem },
      'the proof of another key': { ...valid, proof: sign(token, generateAgentKeyPair()) },
      'changed claims': { ...valid, proof: `${header}.${other.toString('base64url')}.${signature}` },
      'a cut signature': { ...valid, proof: valid.proof.slice(0, -4) },
      'no signature': { ...valid, proof: `${header}.${claims}.` },
      'the algorithm none': {
        ...valid,
        proof: `${Buffer.from('{"alg":"none","typ":"agent-proof+jwt","kid":"x"}').toString('base64url')}.${claims}.`,
      },
      'another token': joinRequest(token, keyPair, { secret: 'another' }),
      'another cluster': joinRequest(token, keyPair, { cluster: 'other' }),
      'another installation': joinRequest(token, keyPair, { installation: 'other' }),
      'an old proof': joinRequest(token, keyPair, { now: Date.now() - 120_000 }),
      'a proof of the future': joinRequest(token, keyPair, { now: Date.now() + 120_000 }),
      'a private key': {
        ...valid,
        publicKey: keyPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
      'no key': { proof: valid.proof },
    };
    for (const [what, body] of Object.entries(tampered)) {
      expect((await post(atAgentApi('join'), token.secret, body)).code, what).toBe(400);
    }
    expect((await post(atAgentApi('join'), token.secret, valid)).code).toBe(200);
  });
});

describe('the key of an agent', () => {
  it('opens only the agent API of its own cluster', async () => {
    await at.serverEnv.createObject(at.server, 'clusters', 'other', { networkPeer: true });
    const { proof } = await joined(await joinToken());
    expect((await use(proof())).code).toBe(200);
    for (const path of [atAgentApi('policy', 'other'), atAgentApi('tunnel', 'other')]) {
      expect((await send(path, { token: proof() })).code, path).toBe(403);
    }
    for (const path of [`${groupPath}/clusters`, `/kubernetes/cluster/local/api`, '/metrics', '/backup', '/audit']) {
      expect((await send(path, { token: proof() })).code, path).toBe(401);
    }
  });

  it('signs each request anew: a proof works once, for a minute, and only unchanged', async () => {
    const token = await joinToken();
    const { proof, keyPair } = await joined(token);
    const used = proof();
    expect([(await use(used)).code, (await use(used)).code]).toEqual([200, 401]);
    expect((await use(proof(Date.now() - 120_000))).code).toBe(401);
    expect((await use(proof(Date.now() + 120_000))).code).toBe(401);
    const [header, content = '', signature] = proof().split('.');
    const claims = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(content, 'base64url').toString()), jti: 'x' }),
    );
    expect((await use(`${header}.${claims.toString('base64url')}.${signature}`)).code).toBe(401);
    const elsewhere = signAgentProof(keyPair, { installation: 'other', cluster: agentCluster }, Date.now());
    expect((await use(elsewhere)).code).toBe(401);
    const stranger = signAgentProof(generateAgentKeyPair(), token, Date.now());
    expect((await use(stranger)).code).toBe(401);
  });

  it('ends at once when another agent is to join, also for open tunnels', async () => {
    await startWith(await joinToken());
    await waitUntilReady();
    const watch = await at.serverEnv.request(
      at.server,
      `/kubernetes/cluster/${agentCluster}/api/v1/namespaces?watch=true`,
    );
    expect(watch.statusCode).toBe(200);
    const watched = watch.body.text();
    const token = await joinToken({ replace: true });
    expect(await shownAgent()).not.toHaveProperty('keyFingerprint');
    // The watch ends with a complete response, so that the client resumes it.
    expect(await watched).toMatch(/^({.*}\n)+$/);
    await expect
      .poll(async () => (await send(`/kubernetes/cluster/${agentCluster}/api/v1/namespaces`)).code, { timeout: 20_000 })
      .toBe(503);
    await at.stopAgent();
    await rm(at.dataDir, { recursive: true });
    await startWith(token);
    await waitUntilReady();
  });

  it('is replaced if the agent gets a new token, and kept if the server refuses that token', async () => {
    const first = await joinToken();
    await startWith(first);
    await waitUntilReady();
    const { keyFingerprint } = await shownAgent();
    await at.stopAgent();
    await startWith({ ...first, secret: 'a-token-that-the-server-does-not-know' });
    await waitUntilReady();
    expect((await shownAgent()).keyFingerprint).toBe(keyFingerprint);
    await at.stopAgent();
    await startWith(await joinToken({ replace: true }));
    await waitUntilReady();
    expect((await shownAgent()).keyFingerprint).not.toBe(keyFingerprint);
  });
});

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSigningKeyFile } from '../../src/process/signing-key-file.ts';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type Edge, namespacesOf, openEdge } from '../harness/network/edge.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const inVc = namespacesOf('vc');
const clusterPath = '/kubernetes/cluster/api/v1/namespaces';

describeIfAvailable(kubectlMissing, 'tokens that an agent refuses (issue 8, completions §6)', () => {
  let edge: Edge;
  let anna: string;
  let good: JWTPayload;
  let kid: string;
  /**
   * The installation's own signing key. Only the claims of a token signed with this key can be a reason for refusal.
   */
  let own: Awaited<ReturnType<typeof importJWK>>;

  beforeAll(async () => {
    edge = await openEdge();
    anna = await edge.createUser('anna');
    await edge.createInstance('vc', ['anna']);
    await edge.createInstance('other', ['anna']);
    const token = await edge.directToken(anna);
    await edge.waitForStatus(inVc, token, 200);
    good = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const { current } = (await readSigningKeyFile(join(edge.folder, 'server', 'signing.key'))) ?? {};
    if (current === undefined) throw new Error('the server has no signing key');
    kid = current.kid;
    own = await importJWK(current, 'ES256');
  });
  afterAll(() => edge.close());

  const now = () => Math.floor(Date.now() / 1000);
  const signed = (changes: JWTPayload = {}, header: object = {}, key = own) =>
    new SignJWT({ ...good, jti: randomUUID(), ...changes })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT', ...header })
      .sign(key);
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

  async function refused(token: string, code: 401 | 403, path = inVc): Promise<string> {
    const answer = await edge.request(path, token);
    expect([answer.code, JSON.parse(answer.text)], answer.text).toEqual([
      code,
      expect.objectContaining({ kind: 'Status', code, reason: code === 401 ? 'Unauthorized' : 'Forbidden' }),
    ]);
    return answer.text;
  }

  it('accepts a token that the server would sign itself, and none of another signer', async () => {
    expect((await edge.request(inVc, await signed())).code).toBe(200);
    const { privateKey } = await generateKeyPair('ES256');
    await refused(await signed({}, {}, privateKey), 401);
    await refused(await signed({}, { kid: 'another' }), 401);
    await refused(await signed({}, { kid: undefined }), 401);
    await refused(`${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(good)}.`, 401);
    await refused(`${encoded({ alg: 'none', kid })}.${encoded(good)}.AA`, 401);
    const hmac = new TextEncoder().encode(JSON.stringify(good));
    const confused = new SignJWT(good).setProtectedHeader({ alg: 'HS256', kid });
    await refused(await confused.sign(hmac), 401);
  });

  it('validates the claims: audience, issuer, time, key, subject', async () => {
    for (const changes of [
      { aud: 'virtual-cluster' },
      { aud: 'kubernetes' },
      { iss: 'another-installation' },
      { exp: now() - 60 },
      { iat: now() + 3600, exp: now() + 7200 },
      { nbf: now() + 3600 },
      { exp: undefined },
      { accessKey: { ...(good.accessKey as object), mark: 'another-value' } },
      { accessKey: { ...(good.accessKey as object), uid: 'another-key' } },
      { accessKey: undefined },
      { sub: 'bert' },
    ]) {
      await refused(await signed(changes as JWTPayload), 401);
    }
  });

  it('grants no more than the scope and the permissions of the token owner', async () => {
    const narrow = { virtualClusters: [{ project: 'default', virtualCluster: 'other' }] };
    const scoped = await edge.directToken(anna, { scope: narrow });
    expect((await edge.request(namespacesOf('other'), scoped)).code).toBe(200);
    expect(await refused(scoped, 403)).toContain('cannot use');
    await refused(await signed(), 403, clusterPath);
    // The groups in a token are an upper bound: a token cannot make its owner an admin.
    const claimed = await signed({ groups: ['system:masters', 'platform:admins', 'platform-admins'] });
    await refused(claimed, 403, clusterPath);
  });

  it('allows a kubeconfig token to access only its virtual cluster, and gives the agent’s own credential no access', async () => {
    const file = await edge.kubeconfigOf('other', anna);
    const token = JSON.parse(await kubectlWith(file).ok(['config', 'view', '--raw', '-o', 'json'])).users[0].user.token;
    expect((await edge.request(namespacesOf('other'), token)).code).toBe(200);
    await refused(token, 401);
    await refused(token, 401, clusterPath);
    await refused(readFileSync(edge.keyFile, 'utf8'), 401);
    // Endpoints of the control server do not exist on the agent.
    for (const path of ['/kubernetes/management/apis', '/kubernetes/agent/edge/policy', '/auth/jwks']) {
      expect((await edge.request(path, await signed())).code).toBe(404);
    }
  });
});

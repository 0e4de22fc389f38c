import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSigningKeyFile } from '../../src/process/signing-key-file.ts';
import { type Edge, namespacesOf, openEdge } from '../harness/edge.ts';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeWith } from '../harness/suite.ts';

const inVc = namespacesOf('vc');
const clusterPath = '/kubernetes/cluster/api/v1/namespaces';

describeWith(kubectlMissing, 'tokens that an agent refuses (issue 8, completions §6)', () => {
  let edge: Edge;
  let anna: string;
  let good: JWTPayload;
  let kid: string;
  /** The installation's own key: what is signed with it is refused for what it says alone. */
  let own: Awaited<ReturnType<typeof importJWK>>;

  beforeAll(async () => {
    edge = await openEdge();
    anna = await edge.person('anna');
    await edge.make('vc', ['anna']);
    await edge.make('other', ['anna']);
    const token = await edge.directToken(anna);
    await edge.until(inVc, token, 200);
    good = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const { current } = (await readSigningKeyFile(join(edge.folder, 'centre', 'signing.key'))) ?? {};
    if (current === undefined) throw new Error('there is no signing key');
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
    const answer = await edge.ask(path, token);
    expect([answer.code, JSON.parse(answer.text)], answer.text).toEqual([
      code,
      expect.objectContaining({ kind: 'Status', code, reason: code === 401 ? 'Unauthorized' : 'Forbidden' }),
    ]);
    return answer.text;
  }

  it('lets in one that it would sign so itself, and nobody else’s', async () => {
    expect((await edge.ask(inVc, await signed())).code).toBe(200);
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

  it('lets in by what it says alone: audience, issuer, time, key, subject', async () => {
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

  it('gives no more than the scope and the rights of whoever has it', async () => {
    const narrow = { virtualClusters: [{ project: 'default', virtualCluster: 'other' }] };
    const scoped = await edge.directToken(anna, { scope: narrow });
    expect((await edge.ask(namespacesOf('other'), scoped)).code).toBe(200);
    expect(await refused(scoped, 403)).toContain('cannot use');
    await refused(await signed(), 403, clusterPath);
    // Groups are an upper bound: nobody becomes an admin by a token that says so.
    const claimed = await signed({ groups: ['system:masters', 'platform:admins', 'platform-admins'] });
    await refused(claimed, 403, clusterPath);
  });

  it('opens with the token of a kubeconfig that one virtual cluster, and the agent’s own credentials nothing', async () => {
    const file = await edge.kubeconfigOf('other', anna);
    const token = JSON.parse(await kubectlWith(file).ok(['config', 'view', '--raw', '-o', 'json'])).users[0].user.token;
    expect((await edge.ask(namespacesOf('other'), token)).code).toBe(200);
    await refused(token, 401);
    await refused(token, 401, clusterPath);
    await refused(readFileSync(edge.keyFile, 'utf8'), 401);
    // What is the centre's is not there at all.
    for (const path of ['/kubernetes/management/apis', '/kubernetes/agent/edge/policy', '/auth/jwks']) {
      expect((await edge.ask(path, await signed())).code).toBe(404);
    }
  });
});

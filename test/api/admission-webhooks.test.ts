import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebhookTestServer } from '../../src/controlplane/webhooks/webhook-server.fixture.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const local = '/kubernetes/cluster/local';
const virtualClusters = '/apis/storage.platform.sh/v1/namespaces/default/virtualclusters';
const inside = `${local}${virtualClusters}/hooked/proxy`;
const maps = '/api/v1/namespaces/default/configmaps';
const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

describe('admission webhooks of a virtual cluster', () => {
  let bench: ServerTestEnv;
  let hook: WebhookTestServer;
  let server: RunningServer;

  const post = (path: string, body: JsonValue) => bench.send(server, inside + path, { method: 'POST', body });
  const remove = (path: string) => bench.send(server, inside + path, { method: 'DELETE' });

  function configuration(webhook: JsonObject = {}): JsonObject {
    const full = {
      name: 'hook.example.com',
      clientConfig: { url: hook.url, caBundle: hook.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...webhook,
    };
    return { metadata: { name: 'hooks' }, webhooks: [full] };
  }

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    const patch = Buffer.from('[{"op":"add","path":"/data","value":{"made":"yes"}}]').toString('base64');
    hook = await WebhookTestServer.start(() => ({ allowed: true, patchType: 'JSONPatch', patch }));
    server = await bench.start();
    const body = { metadata: { name: 'hooked' }, spec: { api: 'full' } };
    expect((await bench.send(server, local + virtualClusters, { method: 'POST', body })).code).toBe(201);
  });
  afterAll(async () => {
    hook.close();
    await bench.close();
  });

  it('are not called at addresses of the server itself or of its network', async () => {
    expect((await post(configurations, configuration())).code).toBe(201);
    const { code, json } = await post(maps, { metadata: { name: 'one' } });
    expect([code, hook.seen]).toEqual([500, []]);
    expect(json).toMatchObject({
      message: `Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "${hook.url}?timeout=10s": the host has no address at which webhooks may be called`,
    });
    await remove(`${configurations}/hooks`);
    for (const url of ['https://169.254.169.254/latest', 'https://10.0.0.1/', 'https://[::1]/', 'https://localhost/']) {
      await post(configurations, configuration({ clientConfig: { url } }));
      expect((await post(maps, { metadata: { name: 'one' } })).text).toContain('the host has no address');
      await remove(`${configurations}/hooks`);
    }
  });

  it('are called at addresses that the setting allows, after a restart too', async () => {
    await post(configurations, configuration());
    await server.close();
    const config = join(bench.root, 'settings.yaml');
    writeFileSync(config, 'planes:\n  webhookAddresses: [127.0.0.0/8]\n');
    server = await bench.start({ config });
    const { code, json } = await post(maps, { metadata: { name: 'one' } });
    expect(code).toBe(201);
    expect(json).toMatchObject({ data: { made: 'yes' } });
    expect(hook.seen).toMatchObject([{ operation: 'CREATE', name: 'one', namespace: 'default' }]);
  });

  it('delay no other tenant: a request to another virtual cluster gets a response in the meantime', async () => {
    const body = { metadata: { name: 'other' }, spec: { api: 'full' } };
    await bench.send(server, local + virtualClusters, { method: 'POST', body });
    let answer: (() => void) | undefined;
    const patched = hook.answer;
    hook.answer = ({ uid }, response) => {
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
      answer = () => response.end(JSON.stringify(review));
      return undefined;
    };
    const slow = post(maps, { metadata: { name: 'slow' } });
    const other = `${local}${virtualClusters}/other/proxy${maps}`;
    const created = await bench.send(server, other, { method: 'POST', body: { metadata: { name: 'fast' } } });
    expect(created.code).toBe(201);
    while (answer === undefined) await new Promise((resolve) => setImmediate(resolve));
    answer();
    expect((await slow).code).toBe(201);
    hook.answer = patched;
  });

  it.each([
    ['the main thread', 0],
    ['a worker', 1],
  ])('hold no slot for writes while they are called from %s', async (_, workers) => {
    await server.close();
    const config = join(bench.root, 'settings.yaml');
    writeFileSync(
      config,
      `planes: {workers: ${workers}, webhookAddresses: [127.0.0.0/8]}\nlimits: {writesInFlight: 2}\n`,
    );
    server = await bench.start({ config });
    const patched = hook.answer;
    const answers: (() => void)[] = [];
    hook.answer = ({ uid }, response) => {
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
      answers.push(() => response.end(JSON.stringify(review)));
      return undefined;
    };
    const writes = Array.from({ length: 4 }, (_each, number) =>
      post(maps, { metadata: { name: `held-${workers}-${number}` } }),
    );
    await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(writes.length);
    const other = `${local}${virtualClusters}/other/proxy${maps}`;
    const body = { metadata: { name: `free-${workers}` } };
    expect((await bench.send(server, other, { method: 'POST', body })).code).toBe(201);
    for (const answer of answers) answer();
    expect((await Promise.all(writes)).map(({ code }) => code)).toEqual([201, 201, 201, 201]);
    hook.answer = patched;
  });
});

import type { JsonObject } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { decodeDocument } from '../../registry/write/decode.ts';
import { kubernetesKindsPart } from '../kubernetes/kubernetes-kinds-part.ts';
import { openPlaneTestEnv, testClientContext, testDeleteOptions, testWriteOptions } from '../plane.fixture.ts';
import { expectStatusError } from '../policies/admission-policies.fixture.ts';
import { admissionPoliciesPart } from '../policies/admission-policies-part.ts';
import { type AnswerReview, WebhookTestServer } from './webhook-server.fixture.ts';
import { webhooksPart } from './webhooks-part.ts';

const group = 'admissionregistration.k8s.io';
const classes = 'priorityclasses.scheduling.k8s.io';
const rule = {
  apiGroups: ['scheduling.k8s.io'],
  apiVersions: ['v1'],
  operations: ['*'],
  resources: ['priorityclasses'],
};
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

class WebhookEnv {
  readonly #kind: (key: string) => KindStore;
  readonly server: WebhookTestServer;
  readonly warnings: string[] = [];
  readonly annotations = new Map<string, string>();

  private constructor(kind: (key: string) => KindStore, server: WebhookTestServer) {
    this.#kind = kind;
    this.server = server;
  }

  static async open(answer: AnswerReview): Promise<WebhookEnv> {
    const server = await WebhookTestServer.start(answer);
    closing.push(() => server.close());
    const authorize = () => ({ allowed: false, reason: '' });
    const opened = await openPlaneTestEnv({
      parts: (dependencies) => [
        admissionPoliciesPart({ plane: dependencies.plane, authorize }),
        webhooksPart({ plane: dependencies.plane, authorize, webhooks: { addresses: ['127.0.0.0/8'] } }),
        kubernetesKindsPart(dependencies),
      ],
    });
    return new WebhookEnv((key) => opened.kind(key), server);
  }

  context(): RequestContext {
    return {
      ...testClientContext(''),
      warn: (text) => void this.warnings.push(text),
      annotate: () => expect.unreachable('only the server may use this function'),
      annotateByAdmission: (key, value) => void this.annotations.set(key, value),
    };
  }

  async create(key: string, members: JsonObject, dryRun = false): Promise<KubeObject> {
    const { resource, verbs } = this.#kind(key);
    const object = decodeDocument(resource, members, { findings: [], namespace: '' }).object;
    return (await verbs.create(this.context(), object, { ...testWriteOptions, dryRun })).object;
  }

  async hook(type: 'validating' | 'mutating', webhook: JsonObject = {}, name = 'hooks'): Promise<KubeObject> {
    const { url, caBundle } = this.server;
    const full = {
      name: `${name}.example.com`,
      clientConfig: { url, caBundle },
      rules: [rule],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...webhook,
    };
    return this.create(`${type}webhookconfigurations.${group}`, { metadata: { name }, webhooks: [full] });
  }

  priority(name: string, members: JsonObject = {}): Promise<KubeObject> {
    return this.create(classes, { metadata: { name }, value: 5, ...members });
  }

  remove(key: string, name: string): Promise<unknown> {
    return this.#kind(key).verbs.delete(this.context(), name, testDeleteOptions());
  }

  peek(name: string): KubeObject | undefined {
    return this.#kind(classes).peek('', name)?.object;
  }

  async update(object: KubeObject): Promise<KubeObject> {
    const { verbs } = this.#kind(classes);
    return (await verbs.update(this.context(), object.metadata.name ?? '', object, testWriteOptions)).object;
  }
}

const patchOf = (...operations: JsonObject[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

describe('a validating webhook', () => {
  it('gets an AdmissionReview of each matching request', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: true }));
    await env.hook('validating');
    const created = await env.priority('one');
    await env.update({ ...created, description: 'changed' });
    await env.remove(classes, 'one');
    const kind = { group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass' };
    expect(env.server.seen).toMatchObject([
      {
        kind,
        requestKind: kind,
        resource: { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' },
        operation: 'CREATE',
        name: 'one',
        userInfo: { username: expect.any(String) },
        object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'one' }, value: 5 },
        oldObject: null,
        dryRun: false,
        options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
      },
      { operation: 'UPDATE', object: { description: 'changed' }, oldObject: { value: 5 } },
      { operation: 'DELETE', object: null, oldObject: { description: 'changed' } },
    ]);
  });

  it('denies requests with its message, code and details', async () => {
    const status = { message: 'no priorities here', code: 451, reason: 'Forbidden', details: { retryAfterSeconds: 3 } };
    const env = await WebhookEnv.open(() => ({ allowed: false, status }));
    await env.hook('validating');
    const error = await expectStatusError(env.priority('one'));
    expect(error.status).toMatchObject({
      message: 'admission webhook "hooks.example.com" denied the request: no priorities here',
      code: 451,
      reason: 'Forbidden',
      details: { retryAfterSeconds: 3 },
    });
    env.server.answer = () => ({ allowed: false });
    expect((await expectStatusError(env.priority('one'))).status).toMatchObject({
      message: 'admission webhook "hooks.example.com" denied the request without explanation',
      code: 400,
    });
    expect(env.peek('one')).toBeUndefined();
  });

  it('denies requests with limited texts', async () => {
    const long = 'x'.repeat(5_000);
    const causes = Array.from({ length: 150 }, () => ({ reason: long, message: long, field: long }));
    const status = { message: long, reason: long, details: { name: long, kind: long, causes } };
    const env = await WebhookEnv.open(() => ({ allowed: false, status }));
    await env.hook('validating');
    const error = await expectStatusError(env.priority('one'));
    expect(error.status.reason).toHaveLength(4_096);
    expect(error.status.details).toEqual({ name: 'x'.repeat(4_096) });
    expect(JSON.stringify(error.status).length).toBeLessThan(3 * 4_096 + 500);
    env.server.answer = () => ({ allowed: true, uid: long });
    expect((await expectStatusError(env.priority('one'))).status.message?.length).toBeLessThan(4_096 + 200);
  });

  it('adds at most 100 warnings to a request', async () => {
    let count = 0;
    const warnings = () => Array.from({ length: 90 }, () => `warning ${count++}`);
    const env = await WebhookEnv.open(() => ({ allowed: true, warnings: warnings() }));
    await env.hook('validating');
    await env.hook('validating', {}, 'others');
    await env.priority('one');
    expect([count, env.warnings.length]).toEqual([180, 100]);
  });

  it('adds warnings and audit annotations', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: true, warnings: ['old'], auditAnnotations: { k: 'v' } }));
    await env.hook('validating');
    await env.priority('one');
    expect(env.warnings).toEqual(['old']);
    expect(env.annotations.get('hooks.example.com/k')).toBe('v');
  });

  it('gets only requests that match its selectors, rules and conditions', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: false }));
    await env.hook('validating', {
      objectSelector: { matchLabels: { checked: 'yes' } },
      matchConditions: [{ name: 'large', expression: 'object.value > 10' }],
      rules: [{ ...rule, operations: ['CREATE'] }],
    });
    const labels = { checked: 'yes' };
    await env.priority('unlabeled', { value: 20 });
    await env.priority('small', { metadata: { name: 'small', labels } });
    await expectStatusError(env.priority('large', { metadata: { name: 'large', labels }, value: 20 }));
    expect(env.server.seen).toHaveLength(1);
  });

  it('refuses requests if its match condition fails', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: true }));
    await env.hook('validating', { matchConditions: [{ name: 'bad', expression: 'object.absent == 1' }] });
    expect((await expectStatusError(env.priority('one'))).status).toMatchObject({ code: 403 });
  });

  it.each([
    ['a wrong uid', { uid: 'x', allowed: true }, 'expected response.uid='],
    ['a patch', patchOf(), 'validating webhook may not return response.patch'],
  ])('fails with %s', async (_, answer, message) => {
    const env = await WebhookEnv.open(() => answer);
    await env.hook('validating');
    const error = await expectStatusError(env.priority('one'));
    expect(error.status).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(error.message).toContain('failed calling webhook "hooks.example.com": received invalid webhook response: ');
    expect(error.message).toContain(message);
  });

  it('refuses or admits requests by its failurePolicy if it does not respond', async () => {
    const env = await WebhookEnv.open((_, response) => void response.writeHead(500).end());
    await env.hook('validating');
    expect((await expectStatusError(env.priority('one'))).message).toContain(
      'failed calling webhook "hooks.example.com": failed to call webhook: the webhook answered with status 500',
    );
    await env.remove(`validatingwebhookconfigurations.${group}`, 'hooks');
    await env.hook('validating', { failurePolicy: 'Ignore' });
    await env.priority('one');
    expect([...env.annotations.keys()]).toContain('failed-open.validating.webhook.admission.k8s.io/round_0_index_0');
  });

  it('cannot be a service, because nothing runs services', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: true }));
    await env.hook('validating', { clientConfig: { service: { namespace: 'a', name: 'b' } } });
    expect((await expectStatusError(env.priority('one'))).message).toContain('service "a/b" cannot be reached');
  });

  it('delays no other write while it does not respond', async () => {
    let release: () => void = () => undefined;
    const env = await WebhookEnv.open((request, response) => {
      if (request.name !== 'slow') return { allowed: true };
      const { uid } = request;
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
      release = () => response.end(JSON.stringify(review));
      return undefined;
    });
    await env.hook('validating');
    const slow = env.priority('slow');
    await env.priority('fast');
    expect(env.peek('slow')).toBeUndefined();
    while (env.server.seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
    release();
    await slow;
    expect(env.peek('slow')).toBeDefined();
  });
});

describe('a mutating webhook', () => {
  it('changes objects, before defaults and validation', async () => {
    const env = await WebhookEnv.open(() => patchOf({ op: 'replace', path: '/value', value: 7 }));
    await env.hook('mutating');
    expect(await env.priority('one')).toMatchObject({ value: 7, preemptionPolicy: 'PreemptLowerPriority' });
    env.server.answer = () => patchOf({ op: 'remove', path: '/preemptionPolicy' });
    expect(await env.priority('two')).toMatchObject({ preemptionPolicy: 'PreemptLowerPriority' });
    env.server.answer = () => patchOf({ op: 'replace', path: '/value', value: 2_000_000_000 });
    expect((await expectStatusError(env.priority('three'))).status).toMatchObject({ code: 422 });
  });

  it('is called before validating webhooks, with an object that has no uid yet', async () => {
    const env = await WebhookEnv.open(({ object }) =>
      (object as JsonObject | null)?.description === 'set'
        ? { allowed: false, status: { message: 'seen' } }
        : patchOf({ op: 'add', path: '/description', value: 'set' }),
    );
    await env.hook('mutating', {}, 'first');
    await env.hook('validating', {}, 'second');
    expect((await expectStatusError(env.priority('one'))).message).toBe(
      'admission webhook "second.example.com" denied the request: seen',
    );
    const [first, second] = env.server.seen.map(({ object }) => (object as JsonObject).metadata as JsonObject);
    expect(first?.uid).toBeUndefined();
    expect(second?.uid).toEqual(expect.any(String));
  });

  it('is called again if a later webhook changed the object and its reinvocationPolicy is IfNeeded', async () => {
    const env = await WebhookEnv.open(() => patchOf({ op: 'add', path: '/description', value: 'x' }));
    const called: unknown[] = [];
    let calls = 0;
    env.server.answer = () => {
      called.push(calls);
      return patchOf({ op: 'add', path: '/description', value: `call ${calls++}` });
    };
    await env.hook('mutating', { reinvocationPolicy: 'IfNeeded' }, 'a');
    await env.hook('mutating', {}, 'b');
    expect(await env.priority('one')).toMatchObject({ description: 'call 2' });
    expect(called).toEqual([0, 1, 2]);
  });

  it('sees the newest object if an update must be repeated', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: true }));
    const created = await env.priority('one');
    await env.hook('mutating', { rules: [{ ...rule, operations: ['UPDATE'] }] });
    let isFirst = true;
    env.server.answer = (request, response) => {
      if (!isFirst) return patchOf({ op: 'add', path: '/description', value: 'patched' });
      isFirst = false;
      const { uid } = request;
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
      // Another update is stored while the first update waits for this webhook.
      void env
        .update({ ...created, metadata: { name: 'one', labels: { other: 'write' } } } as KubeObject)
        .then(() => response.end(JSON.stringify(review)));
      return undefined;
    };
    const updated = await env.update({ ...created, metadata: { name: 'one', annotations: { a: 'b' } } } as KubeObject);
    expect(updated).toMatchObject({ metadata: { annotations: { a: 'b' } }, description: 'patched' });
    expect(env.server.seen.map(({ oldObject }) => (oldObject as JsonObject).metadata)).toMatchObject([
      {},
      {},
      { labels: { other: 'write' } },
    ]);
  });

  it.each([
    [patchOf({ op: 'remove', path: '/nope' }), 'Unable to remove nonexistent key: nope'],
    [{ allowed: true, patch: 'AAAA', patchType: 'JSONPatch' }, 'received undecodable patch in webhook response'],
    [{ allowed: true, patch: 'W10=' }, 'webhook returned response.patch but not response.patchType'],
    [{ ...patchOf(), patchType: 'Merge' }, 'unsupported patch type "Merge"'],
  ])('fails with the response %j', async (answer, message) => {
    const env = await WebhookEnv.open(() => answer);
    await env.hook('mutating');
    const error = await expectStatusError(env.priority('one'));
    expect(error.status).toMatchObject({ code: 500 });
    expect(error.message).toContain(message);
  });

  it('can deny a delete, but not change it', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: true }));
    await env.priority('one');
    await env.hook('mutating');
    env.server.answer = () => patchOf({ op: 'add', path: '/description', value: 'x' });
    expect((await expectStatusError(env.remove(classes, 'one'))).message).toContain('attempted to modify the object');
    env.server.answer = () => ({ allowed: false });
    expect((await expectStatusError(env.remove(classes, 'one'))).status).toMatchObject({ code: 400 });
  });

  it('is not called for webhook configurations and policies', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: false }));
    const everything = { ...rule, apiGroups: ['*'], resources: ['*'], apiVersions: ['*'] };
    await env.hook('mutating', { rules: [everything] }, 'a');
    await env.hook('validating', { rules: [everything] }, 'b');
    await env.remove(`mutatingwebhookconfigurations.${group}`, 'a');
    await env.remove(`validatingwebhookconfigurations.${group}`, 'b');
    expect(env.server.seen).toEqual([]);
  });
});

describe('a webhook configuration', () => {
  const url = 'https://example.com/x';
  it.each([
    [{ name: 'short' }, 'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments'],
    [{ sideEffects: 'Some' }, 'webhooks[0].sideEffects: Unsupported value: "Some"'],
    [{ timeoutSeconds: 31 }, 'the timeout value must be between 1 and 30 seconds'],
    [{ admissionReviewVersions: ['v2'] }, 'must include at least one of v1, v1beta1'],
    [{ clientConfig: {} }, 'exactly one of url or service is required'],
    [{ clientConfig: { url: 'http://example.com' } }, "'https' is the only allowed URL scheme"],
    [{ clientConfig: { url: 'https://a:b@example.com' } }, 'user information is not permitted in the URL'],
    [{ clientConfig: { url: `${url}?a=b` } }, 'query parameters are not permitted in the URL'],
    [{ clientConfig: { url: `${url}#a` } }, 'fragments are not permitted in the URL'],
    [
      { clientConfig: { service: { name: 'a', namespace: 'b', path: 'x//y', port: 0 } } },
      'segment[0] may not be empty',
    ],
    [{ rules: [{ ...rule, operations: ['EAT'] }] }, 'Unsupported value: "EAT"'],
    [{ matchConditions: [{ name: 'a', expression: '1' }] }, 'must evaluate to bool'],
    [{ reinvocationPolicy: 'Always' }, 'webhooks[0].reinvocationPolicy: Unsupported value: "Always"'],
  ])('is refused with %j', async (webhook, message) => {
    const env = await WebhookEnv.open(() => ({ allowed: true }));
    expect((await expectStatusError(env.hook('mutating', webhook as JsonObject))).message).toContain(message);
  });

  it('gets defaults', async () => {
    const env = await WebhookEnv.open(() => ({ allowed: true }));
    expect(await env.hook('mutating')).toMatchObject({
      metadata: { generation: 1 },
      webhooks: [
        {
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          timeoutSeconds: 10,
          reinvocationPolicy: 'Never',
          rules: [{ scope: '*' }],
        },
      ],
    });
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { WebhookTestServer } from '../../../../src/controlplane/webhooks/webhook-server.fixture.ts';
import { comparedTests } from '../../area.ts';
import { asTable } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

type Json = Record<string, unknown>;
type Answer = WebhookTestServer['answer'];

const apiVersion = 'admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const paths = {
  Validating: `/apis/${apiVersion}/validatingwebhookconfigurations`,
  Mutating: `/apis/${apiVersion}/mutatingwebhookconfigurations`,
} as const;
type Type = keyof typeof paths;

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

const configMap = (name: string, data: Json = {}): Json => ({ metadata: { name }, data });

const patchOf = (...operations: Json[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

const wrongWebhooks: readonly Json[] = [
  { name: '' },
  { name: 'two.parts' },
  { name: 'Upper.example.com' },
  { sideEffects: undefined },
  { sideEffects: 'Some' },
  { timeoutSeconds: 0 },
  { timeoutSeconds: 31 },
  { failurePolicy: 'Maybe' },
  { matchPolicy: 'Some' },
  { reinvocationPolicy: 'Always' },
  { admissionReviewVersions: [] },
  { admissionReviewVersions: ['v2', 'v2', 'X'] },
  { clientConfig: {} },
  { clientConfig: { url: 'http://example.com' } },
  { clientConfig: { url: 'https://' } },
  { clientConfig: { url: 'https://a:b@example.com/x?y=z#f' } },
  { clientConfig: { url: 'https://example.com', service: { namespace: 'a', name: 'b' } } },
  { clientConfig: { service: { namespace: '', name: '', port: 70_000 } } },
  { clientConfig: { service: { namespace: 'a', name: 'b', path: 'x//Y' } } },
  { clientConfig: { service: { namespace: 'a', name: 'b', path: '//' } } },
  { rules: [{ ...rule, operations: ['EAT'], resources: [] }] },
  { rules: [{ ...rule, operations: ['*', 'CREATE'], apiGroups: [] }] },
  { objectSelector: { matchLabels: { 'a b': 'c' } } },
  { matchConditions: [{ name: 'a', expression: '1' }] },
  { matchConditions: [{ name: '', expression: '' }] },
];

/**
 * Compares webhooks that admit and change requests: their validation and their effect. Both servers call one webhook
 * server.
 */
export function admissionWebhooks(pair: Pair): void {
  describe('Admission webhooks', () => {
    const compared = comparedTests(pair);
    let server: WebhookTestServer;
    beforeAll(async () => {
      server = await WebhookTestServer.start(() => ({ allowed: true }));
    });
    afterAll(() => server.close());

    function configuration(type: Type, name: string, ...webhooks: Json[]): Json {
      const { url, caBundle } = server;
      const complete = webhooks.map((webhook, index) => ({
        name: `hook-${index}.example.com`,
        clientConfig: { url, caBundle },
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...webhook,
      }));
      return { apiVersion, kind: `${type}WebhookConfiguration`, metadata: { name }, webhooks: complete };
    }

    const create = (path: string, json: Json) => pair.send({ method: 'POST', path, json });

    compared('are validated on write', async () => {
      for (const webhook of wrongWebhooks) {
        await create(`${paths.Mutating}?dryRun=All`, configuration('Mutating', 'wrong', webhook));
      }
      const twice = configuration('Validating', 'wrong', { name: 'a.example.com' }, { name: 'a.example.com' });
      await create(`${paths.Validating}?dryRun=All`, twice);
    });

    compared('are returned as written, with defaults', async () => {
      const clientConfig = { service: { namespace: 'a', name: 'b' } };
      for (const type of ['Validating', 'Mutating'] as const) {
        const path = paths[type];
        await create(
          path,
          configuration(type, 'shown', { rules: [{ ...rule, operations: ['CONNECT'] }], clientConfig }),
        );
        await pair.send({ path: `${path}/shown` });
        await pair.send(
          { path, headers: { accept: asTable } },
          { ignoredFields: /cells\[2\]|columnDefinitions\[\d\]\.description/ },
        );
        const headers = { 'content-type': 'application/strategic-merge-patch+json' };
        const body = JSON.stringify({ webhooks: [{ name: 'hook-0.example.com', timeoutSeconds: 3 }] });
        await pair.send({ method: 'PATCH', path: `${path}/shown`, headers, body });
        await pair.send({ method: 'DELETE', path: `${path}/shown` });
      }
    });

    /**
     * Creates webhooks on both sides, runs `requests` when the webhooks are in effect, and removes the webhooks. A
     * webhook responds with 418 to a request with the name `probe`.
     */
    async function inForce(type: Type, webhooks: Json[], answer: Answer, requests: () => Promise<void>): Promise<void> {
      const probed: Answer = (request, response) => {
        const isProbe = request.name === 'probe';
        return isProbe ? { allowed: false, status: { code: 418 } } : answer(request, response);
      };
      server.answer = probed;
      const probing = {
        name: 'probe.example.com',
        matchConditions: [{ name: 'p', expression: "request.name == 'probe'" }],
      };
      const json = configuration(type, 'force', ...webhooks, probing);
      await pair.prepare({ method: 'POST', path: paths[type], json });
      const isSeen = async (side: Pair['sides'][number]) =>
        (await side.send({ method: 'POST', path: `${maps}?dryRun=All`, json: configMap('probe') })).status === 418;
      for (const side of pair.sides) while (!(await isSeen(side))) await delay(100);
      server.seen.length = 0;
      await requests();
      await pair.prepare({ method: 'DELETE', path: `${paths[type]}/force` });
      for (const side of pair.sides) while (await isSeen(side)) await delay(100);
    }

    /** Compares the admission reviews that both sides sent. The reviews for one request follow each other. */
    function compareReviews(): void {
      const reviews = server.seen
        .filter(({ name }) => name !== 'probe')
        .map(({ uid: _, userInfo: _1, ...rest }) => rest);
      expect(reviews.length).toBeGreaterThan(0);
      const comparable = (review: unknown) =>
        JSON.parse(JSON.stringify(review), (key, value) =>
          ['uid', 'creationTimestamp', 'resourceVersion', 'managedFields', 'options'].includes(key) ? undefined : value,
        );
      for (let at = 0; at + 1 < reviews.length; at += 2) {
        expect(comparable(reviews[at + 1])).toEqual(comparable(reviews[at]));
      }
    }

    compared('deny requests with their status and warnings', async () => {
      const answers: Record<string, Json> = {
        plain: { allowed: false },
        message: { allowed: false, status: { message: 'not this one', code: 403 } },
        reason: { allowed: false, status: { reason: 'Teapot', code: 418 } },
        success: { allowed: false, status: { status: 'Success', code: 200, message: 'fine' } },
        warned: { allowed: true, warnings: ['careful', 'very'] },
      };
      const answer: Answer = ({ name }) => (answers[String(name)] ?? { allowed: true }) as never;
      await inForce('Validating', [{}], answer, async () => {
        for (const name of [...Object.keys(answers), 'allowed']) await create(maps, configMap(name));
        await pair.send({ method: 'PUT', path: `${maps}/allowed`, json: configMap('allowed', { a: 'b' }) });
        await pair.send({ method: 'DELETE', path: `${maps}/allowed` });
        await pair.send({ method: 'DELETE', path: `${maps}/warned` });
        compareReviews();
      });
    });

    compared('change objects', async () => {
      const answer: Answer = ({ name, object }) => {
        if (object === null) return { allowed: true };
        if (name === 'bad-path') return patchOf({ op: 'add', path: '/no/way', value: 1 }) as never;
        if (name === 'bad-type') return patchOf({ op: 'add', path: '/data', value: 'x' }) as never;
        if (name === 'unknown') return patchOf({ op: 'add', path: '/nope', value: 'x' }) as never;
        if (name === 'invalid') return patchOf({ op: 'add', path: '/data', value: { 'a b': 'c' } }) as never;
        return patchOf({ op: 'add', path: '/data', value: { made: 'by webhook' } }) as never;
      };
      await inForce('Mutating', [{}], answer, async () => {
        for (const name of ['changed', 'bad-path', 'bad-type', 'unknown', 'invalid'])
          await create(maps, configMap(name));
        await pair.send({ method: 'PUT', path: `${maps}/changed`, json: configMap('changed', { own: 'data' }) });
        await pair.send({
          method: 'PATCH',
          path: `${maps}/changed-applied?fieldManager=m`,
          body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...configMap('changed-applied', { a: 'b' }) }),
          headers: { 'content-type': 'application/apply-patch+yaml' },
        });
        await pair.send({ method: 'DELETE', path: `${maps}/changed` });
      });
    });

    compared('fail as their failurePolicy says', async () => {
      const answers: Record<string, Json> = {
        'wrong-uid': { uid: 'x', allowed: true },
        'with-patch': { allowed: true, patch: 'W10=', patchType: 'JSONPatch' },
      };
      const answer: Answer = ({ name }, response) => {
        if (name === 'error') return void response.writeHead(500).end();
        if (name === 'nothing') return void response.end('{}');
        return (answers[String(name)] ?? { allowed: true }) as never;
      };
      const names = ['wrong-uid', 'with-patch', 'error', 'nothing'];
      await inForce('Validating', [{}], answer, async () => {
        for (const name of names) await create(maps, configMap(name));
      });
      await inForce('Validating', [{ failurePolicy: 'Ignore' }], answer, async () => {
        for (const name of names) await create(maps, configMap(name));
      });
      const refused = { clientConfig: { url: 'https://127.0.0.1:1/x' }, timeoutSeconds: 2 };
      const matchConditions = [{ name: 'a', expression: "request.name != 'probe'" }];
      await inForce('Validating', [{ ...refused, matchConditions }], answer, async () => {
        await create(maps, configMap('unreachable'));
      });
    });
  });
}

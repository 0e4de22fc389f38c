import { setTimeout as delay } from 'node:timers/promises';
import { describe } from 'vitest';
import {
  definitionJson,
  definitionVersionJson,
  rejectedDefinitions,
  rejectedRootSchemas,
  rejectedRules,
  rejectedSpecSchemas,
} from '../../../../src/api/apiextensions/definition-cases.fixture.ts';
import { comparedTests } from '../../area.ts';
import type { Pair } from '../../pair.ts';
import type { Side } from '../../side.ts';

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const text = { type: 'string' };

/** Creates a definition on both sides and waits until both serve it. */
export async function define(pair: Pair, json: Record<string, unknown>): Promise<void> {
  await pair.prepare({ method: 'POST', path: definitions, json });
  const { name } = json.metadata as { name: string };
  await Promise.all(pair.sides.map((side) => established(side, name)));
}

/**
 * Waits until both servers really serve the kind. kube-apiserver serves a kind a moment after it reports the condition
 * Established, and delays creates for two more seconds.
 */
export async function established(side: Side, name: string): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const { text: found } = await side.send({ path: `${definitions}/${name}` });
    const { spec, status } = JSON.parse(found);
    const isTrue = (type: string) =>
      (status?.conditions ?? []).some((one: Record<string, string>) => one.type === type && one.status === 'True');
    if (isTrue('Established')) {
      const served = spec.versions.find((one: Record<string, unknown>) => one.served);
      const list = await side.send({ path: `/apis/${spec.group}/${served.name}/${spec.names.plural}` });
      if (list.status === 200) return;
    }
    await delay(50, undefined, { signal });
  }
}

export async function gone(side: Side, name: string): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  while ((await side.send({ path: `${definitions}/${name}` })).status !== 404) {
    await delay(50, undefined, { signal });
  }
}

/** Compares the lifecycle and responses of CustomResourceDefinitions themselves, including refusals. */
export function definitionAnswers(pair: Pair): void {
  const compared = comparedTests(pair);
  const post = (json: unknown, query = '') => pair.send({ method: 'POST', path: `${definitions}${query}`, json });

  describe('Definitions', () => {
    compared('that are refused, with every reason (META-24)', async () => {
      for (const one of rejectedDefinitions) await post(one.definition);
    });

    compared('whose schemas are refused at their root', async () => {
      for (const one of rejectedRootSchemas) await post(one.definition);
    });

    compared('whose schemas are refused at a nested level', async () => {
      for (const one of rejectedSpecSchemas) await post(one.definition);
    });

    compared('whose rules are refused', async () => {
      for (const one of rejectedRules) await post(one.definition);
    });

    compared('with unknown members, and members of other types', async () => {
      const odd = definitionJson('odds', {
        odd: 1,
        versions: [
          definitionVersionJson(
            { strange: true },
            { type: 'object', foo: 1, properties: { a: { type: 'string', bar: 2 } } },
          ),
        ],
      });
      for (const validation of ['Strict', 'Warn', 'Ignore']) {
        await post(odd, `?fieldValidation=${validation}&dryRun=All`);
      }
    });

    compared('are defaulted, established, read and listed', async () => {
      await post(definitionJson('rights', { names: { plural: 'rights', kind: 'Right', shortNames: ['rg'] } }));
      await Promise.all(pair.sides.map((side) => established(side, 'rights.cases.example.com')));
      await pair.send({ path: `${definitions}/rights.cases.example.com` }, { keepAs: 'right' });
      await pair.send({ path: `${definitions}/rights.cases.example.com/status` });
      await post(definitionJson('rights'));
    });

    compared('keep labels and annotations that are written through the status (STATUS-02)', async () => {
      const path = `${definitions}/rights.cases.example.com/status?fieldManager=status`;
      const send = (metadata: Record<string, unknown>, spec: Record<string, unknown> = {}) =>
        pair.send(
          (side) => {
            const json = side.kept('right');
            Object.assign(json.metadata, metadata);
            Object.assign(json.spec, spec);
            return { method: 'PUT', path, json };
          },
          { keepAs: 'right', ignoredFields: /managedFields/ },
        );
      await send({ labels: { by: 'status' }, annotations: { by: 'status' } }, { scope: 'Cluster' });
      await send({ labels: { 'a b': 'c' } });
      const headers = { 'content-type': 'application/merge-patch+json' };
      const body = JSON.stringify({ metadata: { labels: { by: null, patched: 'yes' } } });
      await pair.send({ method: 'PATCH', path, body, headers }, { keepAs: 'right', ignoredFields: /managedFields/ });
    });

    compared('cannot change the identity of their objects', async () => {
      const put = (change: (spec: Record<string, unknown>) => void, metadata: Record<string, unknown> = {}) =>
        pair.send((side) => {
          const json = side.kept('right');
          change(json.spec);
          Object.assign(json.metadata, metadata);
          return { method: 'PUT', path: `${definitions}/rights.cases.example.com`, json };
        });
      await put(() => {});
      await put((spec) => Object.assign(spec, { scope: 'Cluster' }));
      await put((spec) => Object.assign(spec, { group: 'other.example.com' }));
      await put((spec) => Object.assign(spec, { names: { plural: 'others', kind: 'Other' } }));
      await put((spec) => Object.assign(spec, { versions: [definitionVersionJson({ name: 'v2' })] }));
      await put((spec) => Object.assign(spec, { preserveUnknownFields: true }));
      await put(() => {}, { resourceVersion: '' });
      await put(() => {}, { resourceVersion: '1' });
    });

    compared('with several versions and every feature of a version', async () => {
      const spec = { type: 'object', properties: { host: text, size: { type: 'integer', format: 'colour' } } };
      const versions = [
        definitionVersionJson({
          additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host', priority: 1 }],
          selectableFields: [{ jsonPath: '.spec.host' }],
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.size',
              statusReplicasPath: '.status.size',
              labelSelectorPath: '.status.x',
            },
          },
          deprecated: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        }),
        definitionVersionJson({ name: 'v2', storage: false, served: false }),
        definitionVersionJson({ name: 'v3beta1', storage: false, deprecated: true, deprecationWarning: 'go away' }),
      ];
      await post(
        definitionJson('manies', { names: { plural: 'manies', kind: 'Many', categories: ['all'] }, versions }),
      );
      await Promise.all(pair.sides.map((side) => established(side, 'manies.cases.example.com')));
      await pair.send({ path: `${definitions}/manies.cases.example.com` });
    });

    compared('with a name that another of the group has are not established', async () => {
      const taken = definitionJson('twins', { names: { plural: 'twins', kind: 'Right', shortNames: ['rg', 'tw'] } });
      await post(taken);
      const waits = async (side: Side) => {
        const signal = AbortSignal.timeout(30_000);
        for (;;) {
          const { text: found } = await side.send({ path: `${definitions}/twins.cases.example.com` });
          if (JSON.parse(found).status.conditions?.length > 0) return;
          await delay(50, undefined, { signal });
        }
      };
      await Promise.all(pair.sides.map(waits));
      await pair.send({ path: `${definitions}/twins.cases.example.com` });
      await pair.send({ path: '/apis/cases.example.com/v1/twins' });
      await pair.send({ method: 'DELETE', path: `${definitions}/rights.cases.example.com` });
      await Promise.all(pair.sides.map((side) => established(side, 'twins.cases.example.com')));
      await pair.send({ path: `${definitions}/twins.cases.example.com` });
    });

    compared('in protected Kubernetes groups need an approval', async () => {
      for (const [plural, approval] of [
        ['bypasses', 'unapproved, for a test'],
        ['approvals', 'https://github.com/kubernetes/kubernetes/pull/78458'],
      ] as const) {
        const json = definitionJson(plural, { group: 'sea.k8s.io' });
        const annotations = { 'api-approved.kubernetes.io': approval };
        const name = `${plural}.sea.k8s.io`;
        await post({ ...json, metadata: { name, annotations } });
        await Promise.all(pair.sides.map((side) => untilConditionsSet(side, name)));
        // Ignores the conditions, because the controllers of kube-apiserver write them in any order.
        await pair.send({ path: `${definitions}/${name}` }, { ignoredFields: /conditions|managedFields/ });
        const conditions = pair.sides.map(async (side) => {
          const { status } = JSON.parse((await side.send({ path: `${definitions}/${name}` })).text);
          return status.conditions
            .map(({ type, reason, message }: Record<string, string>) => `${type} ${reason} ${message}`)
            .sort();
        });
        const [theirs, ours] = await Promise.all(conditions);
        pair.compareValues(`conditions of ${name}`, theirs, ours);
      }
    });

    compared('are deleted with what they define', async () => {
      const name = 'manies.cases.example.com';
      await pair.prepare({
        method: 'POST',
        path: '/apis/cases.example.com/v1/namespaces/default/manies',
        json: {
          apiVersion: 'cases.example.com/v1',
          kind: 'Many',
          metadata: { name: 'a' },
          spec: { host: 'x', size: 1 },
        },
      });
      await pair.send({ method: 'DELETE', path: `${definitions}/${name}` });
      await Promise.all(pair.sides.map((side) => gone(side, name)));
      await pair.send({ path: '/apis/cases.example.com/v1/namespaces/default/manies' });
      await define(pair, definitionJson('manies', { names: { plural: 'manies', kind: 'Many' } }));
      await pair.send({ path: '/apis/cases.example.com/v1/namespaces/default/manies' });
    });
  });
}

/**
 * Waits until a definition has all three conditions. In kube-apiserver, a separate controller writes each condition,
 * and `NamesAccepted` is written before `Established`.
 */
async function untilConditionsSet(side: Side, name: string): Promise<void> {
  await established(side, name);
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const { text: found } = await side.send({ path: `${definitions}/${name}` });
    if (JSON.parse(found).status.conditions.length === 3) return;
    await delay(50, undefined, { signal });
  }
}

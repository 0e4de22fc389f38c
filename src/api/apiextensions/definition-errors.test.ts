import { readFileSync } from 'node:fs';
import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../field-error.ts';
import type { KubeObject } from '../meta.ts';
import { validateMeta } from '../validation/object-meta.ts';
import { customResourceDefinitionKind } from './custom-resource-definition.ts';
import { definitionOf } from './definition.ts';
import {
  type DefinitionCase,
  definitionJson,
  definitionVersionJson,
  rejectedDefinitions,
  rejectedRootSchemas,
  rejectedSpecSchemas,
} from './definition-cases.fixture.ts';
import { definitionErrors } from './definition-errors.ts';

/** The errors that kube-apiserver 1.36.3 returns for each case, sorted. */
const refusals: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('./kubernetes-refusals.json', import.meta.url), 'utf8'),
);

/** Returns the definition as it is validated: decoded, and with default names. */
function settled(sent: unknown): KubeObject {
  const object = JSON.parse(JSON.stringify(sent)) as KubeObject & { spec?: JsonObject };
  customResourceDefinitionKind.normalize?.(object as JsonObject);
  const spec: JsonObject = object.spec ?? {};
  object.spec = spec;
  const names = spec.names as { kind?: string; singular?: string; listKind?: string } | undefined;
  if (names?.kind !== undefined) {
    names.singular ??= names.kind.toLowerCase();
    names.listKind ??= `${names.kind}List`;
  }
  const versions = (spec.versions ?? []) as { name?: string; storage?: boolean }[];
  const stored = versions.find(({ storage }) => storage);
  object.status = { storedVersions: stored?.name === undefined ? [] : [stored.name] };
  return object;
}

async function faults(sent: unknown, old?: unknown): Promise<string[]> {
  const object = settled(sent);
  const before = old === undefined ? undefined : definitionOf(settled(old));
  const errors = await definitionErrors(definitionOf(object), before, { ruleErrors: async () => [] });
  const meta = before === undefined ? validateMeta(object.metadata, { namespaced: false }) : [];
  return [...meta, ...errors].map(describeFieldError).sort();
}

describe('a definition that Kubernetes rejects', () => {
  const cases: readonly DefinitionCase[] = [...rejectedDefinitions, ...rejectedRootSchemas, ...rejectedSpecSchemas];

  it('has a recorded response', () => {
    expect(cases.map(({ title }) => title).sort()).toEqual(Object.keys(refusals).sort());
  });

  it.each(cases.map(({ title, definition: sent }) => [title, sent] as const))(
    'is rejected with the same errors: %s (META-24)',
    async (title, sent) => {
      // Ignore errors in object names. For these errors, this server uses the messages of the next Kubernetes version.
      const told = (refusals[title] ?? []).filter(
        (line) => !line.startsWith('metadata.name') || !/RFC 1123/.test(line),
      );
      const ours = (await faults(sent)).filter((line) => !line.startsWith('metadata.name') || !/RFC 1123/.test(line));
      expect(ours).toEqual(told);
    },
  );
});

describe('a valid definition', () => {
  it.each([
    ['of one version', definitionJson('rights')],
    [
      'of several',
      definitionJson('rights', {
        versions: [definitionVersionJson(), definitionVersionJson({ name: 'v2', storage: false })],
      }),
    ],
    [
      'approved',
      {
        ...definitionJson('rights', { group: 'x.k8s.io' }),
        metadata: { name: 'rights.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'https://example.com/x' } },
      },
    ],
  ])('is accepted: %s', async (_title, sent) => {
    expect(await faults(sent)).toEqual([]);
  });
});

describe('an update of a definition', () => {
  const established = { conditions: [{ type: 'Established', status: 'True' }] };
  const change = async (spec: JsonObject, isEstablished = true) => {
    const old = settled(definitionJson('rights'));
    if (isEstablished) old.status = { ...(old.status as JsonObject), ...established };
    const object = settled(definitionJson('rights', spec));
    object.status = old.status as JsonObject;
    const errors = await definitionErrors(definitionOf(object), definitionOf(old), { ruleErrors: async () => [] });
    return errors.map(describeFieldError);
  };

  it('cannot change scope and kind once the definition is established', async () => {
    const names = { plural: 'rights', kind: 'Other' };
    expect(await change({ scope: 'Cluster', names })).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
    ]);
    expect(await change({ scope: 'Cluster', names }, false)).toEqual([]);
  });

  it('cannot remove versions in which objects may be stored', async () => {
    const [error = ''] = (await change({ versions: [definitionVersionJson({ name: 'v2' }) as JsonObject] })).filter(
      (line) => /missing/.test(line),
    );
    expect(error).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously',
    );
  });
});

describe('the versions of a definition', () => {
  const definition = (count: number) =>
    definitionJson('manies', {
      versions: Array.from({ length: count }, (_, at) =>
        definitionVersionJson({ name: `v${at + 1}`, storage: at === 0 }),
      ),
    });

  it('are at most a hundred, unless there were more before', async () => {
    expect(await faults(definition(100))).toEqual([]);
    expect(await faults(definition(1_000))).toEqual(['spec.versions: Too many: 1000: must have at most 100 items']);
    expect(await faults(definition(101), definition(101))).toEqual([]);
  });
});

describe('the printer columns of a version', () => {
  const columns = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `c${at}`, type: 'string', jsonPath: '.spec.a' }));
  const definition = (count: number) =>
    definitionJson('wides', { versions: [definitionVersionJson({ additionalPrinterColumns: columns(count) })] });

  it('are at most a hundred', async () => {
    expect(await faults(definition(100))).toEqual([]);
    expect(await faults(definition(101))).toEqual([
      'spec.additionalPrinterColumns: Too many: 101: must have at most 100 items',
    ]);
  });

  it('may stay too many if an update does not change them', async () => {
    expect(await faults(definition(101), definition(101))).toEqual([]);
    expect(await faults(definition(102), definition(101))).toHaveLength(1);
  });
});

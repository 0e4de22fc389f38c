import type { Json } from '../corpus/bad-request.ts';
import { numbered } from './attack.ts';
import type { Tenant } from './tenant.ts';

const group = 'attack.example.com';

interface DefinitionOptions {
  /** The schema of the field `spec`. */
  readonly spec: Json;
  readonly columns?: readonly string[];
  /** The number of versions. Optional; defaults to one. */
  readonly versions?: number;
}

/** The path of the objects of a kind that `createDefinition` has defined. */
export function customObjects(tenant: Tenant, plural: string): string {
  return `${tenant.inside}/apis/${group}/v1/namespaces/default/${plural}`;
}

/** A custom object of a kind that `createDefinition` has defined. */
export function customObject(plural: string, name: string, spec: Json): Json {
  return { apiVersion: `${group}/v1`, kind: kindOf(plural), metadata: { name }, spec };
}

/** The definition of a kind. */
export function definition(plural: string, { spec, columns = [], versions = 1 }: DefinitionOptions): Json {
  const version = (number: number) => ({
    name: `v${number + 1}`,
    served: true,
    storage: number === 0,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    additionalPrinterColumns: columns.map((jsonPath, number) => ({
      name: `Column${number}`,
      type: 'string',
      jsonPath,
    })),
  });
  const kind = kindOf(plural);
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: numbered(versions, version),
    },
  };
}

/** Defines a kind in the tenant's virtual cluster and waits until it is served. */
export async function createDefinition(tenant: Tenant, plural: string, options: DefinitionOptions): Promise<void> {
  await tenant.make(
    `${tenant.inside}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`,
    definition(plural, options),
  );
  const { status, text } = await tenant.send({ method: 'GET', path: customObjects(tenant, plural) });
  if (status !== 200) throw new Error(`the kind is not served: ${status} ${text}`);
}

function kindOf(plural: string): string {
  return `${plural.charAt(0).toUpperCase()}${plural.slice(1)}Kind`;
}

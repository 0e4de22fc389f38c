import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { validatingAdmissionPolicyKind } from '../../api/admissionregistration/validating-admission-policy.ts';
import { validatingAdmissionPolicyBindingKind } from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import { configMapKind } from '../../api/core/config-map.ts';
import { eventKind } from '../../api/core/event.ts';
import { eventsGroupEventKind } from '../../api/core/events-k8s-io.ts';
import { leaseKind } from '../../api/core/lease.ts';
import { namespaceKind } from '../../api/core/namespace.ts';
import { resourceQuotaKind } from '../../api/core/resource-quota.ts';
import * as reviews from '../../api/core/reviews.ts';
import { secretKind } from '../../api/core/secret.ts';
import { serviceAccountKind } from '../../api/core/service-account.ts';
import { tokenRequestKind } from '../../api/core/token-request.ts';
import { apiVersionOf } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { scaleKind } from '../../api/scale-kind.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { type GoField, type GoStruct, isStruct } from '../../api/structs/go-struct.ts';
import { jsonSchemaProps } from '../../api/structs/json-schema-struct.ts';
import { goStructOf } from '../../api/structs/kind-structs.ts';
import { comparableComponent } from './comparable-component.fixture.ts';
import { kindComponents } from './kind-components.ts';
import { metaComponents } from './meta-components.ts';

const kinds: readonly ResourceKind[] = [
  configMapKind,
  secretKind,
  serviceAccountKind,
  resourceQuotaKind,
  namespaceKind,
  eventKind,
  eventsGroupEventKind,
  leaseKind,
  tokenRequestKind,
  roleKind,
  clusterRoleKind,
  roleBindingKind,
  clusterRoleBindingKind,
  customResourceDefinitionKind,
  validatingAdmissionPolicyKind,
  validatingAdmissionPolicyBindingKind,
  scaleKind(true),
  reviews.selfSubjectAccessReviewKind(reviews.authorizationGroup),
  reviews.subjectAccessReviewKind(reviews.authorizationGroup),
  reviews.selfSubjectRulesReviewKind(reviews.authorizationGroup),
  reviews.localSubjectAccessReviewKind,
  reviews.selfSubjectReviewKind,
];

/** Lists the fields that are only in the schema or only in the struct. A request would lose such a field. */
function strayMembers(struct: GoStruct, schema: Schema, path: string): string[] {
  const known = new Map<string, GoField>();
  const collect = ({ fields }: GoStruct) => {
    for (const field of fields) {
      if (field.name !== '') known.set(field.name, field);
      else if (isStruct(field.type)) collect(field.type);
    }
  };
  collect(struct);
  const described = schema.properties ?? {};
  const names = new Set(
    [...known.keys(), ...Object.keys(described)].filter((name) => path !== '' || name !== 'metadata'),
  );
  return [...names].flatMap((name) => {
    const [field, member] = [known.get(name), described[name]];
    if (field === undefined || member === undefined) return [`${path}.${name}`];
    const below = field.shape === 'list' ? member.items : member;
    if (!isStruct(field.type) || field.type === jsonSchemaProps || below === undefined) return [];
    return strayMembers(field.type, below, `${path}.${name}`);
  });
}

/** The components that kube-apiserver 1.36 publishes at /openapi/v3, without descriptions. */
const published = JSON.parse(readFileSync(new URL('kubernetes-components.json', import.meta.url), 'utf8')) as Record<
  string,
  JsonObject
>;

/**
 * Removes what this server does not publish: sharded lists, which it does not support, and defaults that Go omits when
 * it prints.
 */
function withoutUnsupported({ properties, ...rest }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return rest;
  const { shardInfo: _, ...members } = structuredClone(properties);
  for (const name of ['name', 'replicas']) {
    const member = members[name];
    if (isJsonObject(member) && !(Array.isArray(rest.required) && rest.required.includes(name))) delete member.default;
  }
  return { ...rest, properties: members };
}

const components: JsonObject = metaComponents([]);
for (const kind of kinds) Object.assign(components, kindComponents(kind));

describe('the components of built-in kinds', () => {
  const names = Object.keys(components).filter((name) => name in published);

  it.each(names)('%s equals the component of kube-apiserver (OAPI-07, OAPI-12, SSA-23)', (name) => {
    expect(comparableComponent(components[name] as JsonValue)).toEqual(
      comparableComponent(withoutUnsupported(published[name] as JsonObject)),
    );
  });

  it.each(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind] as const))(
    '%s has the same fields in its schema and in its struct (DEC-20, DEC-25)',
    (_, kind) => {
      const its = goStructOf(apiVersionOf(kind), kind.kind);
      expect(its === undefined ? ['no struct'] : strayMembers(its, kind.schema, '')).toEqual([]);
    },
  );

  it('all have the names of Kubernetes', () => {
    const meta = Object.keys(metaComponents([]));
    expect(Object.keys(components).filter((name) => !(name in published) && !meta.includes(name))).toEqual([]);
  });
});

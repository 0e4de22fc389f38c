import { describe, expect, it } from 'vitest';
import { defineKind } from './define-kind.ts';
import type { AccessKey } from './management/v1/access-key.ts';
import type { Cluster } from './management/v1/cluster.ts';
import { type Project, projectKind } from './management/v1/project.ts';
import { type Self, selfKind } from './management/v1/self.ts';
import type { Team } from './management/v1/team.ts';
import type { User } from './management/v1/user.ts';
import type { VirtualClusterInstance } from './management/v1/virtual-cluster-instance.ts';
import type { VirtualClusterTemplate } from './management/v1/virtual-cluster-template.ts';
import { type AnyFields, apiVersionOf, type KubeObject } from './meta.ts';
import { type FieldsOf, typedObject } from './resource.ts';
import { asSchema, t } from './schema/schema-builder.ts';

type AnyTypedObject =
  | AccessKey
  | Cluster
  | Project
  | Self
  | Team
  | User
  | VirtualClusterInstance
  | VirtualClusterTemplate;

/* The compiler checks the types: an unused @ts-expect-error is an error. */
describe('the TypeScript type of the objects of a kind', () => {
  const untyped: KubeObject = { apiVersion: apiVersionOf(projectKind), kind: projectKind.kind, metadata: {} };

  it('does not accept an untyped object, which must be decoded', () => {
    // @ts-expect-error: the types of `spec` and `status` are unknown.
    const assigned: AnyTypedObject = untyped;
    const decoded: Project = typedObject(projectKind, untyped);
    expect(decoded).toBe(assigned);
  });

  it('does not accept an untyped object in a generic type, such as a store of any kind', () => {
    const stored: { readonly objects: readonly AnyFields[] } = { objects: [untyped] };
    // @ts-expect-error: a store of any kind is not a store of projects.
    const projects: { readonly objects: readonly FieldsOf<typeof projectKind>[] } = stored;
    expect(projects.objects).toEqual([untyped]);
  });

  it('is accepted where an untyped object is expected', () => {
    const self: Self = { apiVersion: apiVersionOf(selfKind), kind: selfKind.kind, metadata: {}, spec: {} };
    const anyObject: KubeObject = self;
    expect(anyObject).toBe(self);
  });

  it('knows the fields of a kind whose spec has no properties', () => {
    const self: Self = { ...untyped, spec: {}, status: { subject: 'somebody' } };
    // @ts-expect-error: the status has no such field.
    const wrong: Self = { ...self, status: { subjects: ['somebody'] } };
    expect(wrong.spec).toEqual({});
  });

  it('must follow from the schema', () => {
    const names = { group: 'test.example', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' };
    // @ts-expect-error: a schema in its published form has no TypeScript type.
    const kind = defineKind({ ...names, namespaced: false, schema: asSchema(t.object({})) });
    expect(kind.schema).toEqual({ type: 'object', properties: {} });
  });
});

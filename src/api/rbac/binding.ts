import { type JsonValue, listAt, textAt } from '@flotilla/json';
import { ageColumn, column } from '../columns.ts';
import type { KubeObject } from '../meta.ts';
import type { Column } from '../resource.ts';
import type { Schema } from '../schema/schema.ts';
import { asSchema, type Static, t } from '../schema/schema-builder.ts';

const subject = t.object(
  {
    kind: t.string({ description: 'The kind of the subject: User, Group or ServiceAccount.' }),
    apiGroup: t.optional(
      t.string({
        description:
          'The API group of the subject: empty for service accounts, rbac.authorization.k8s.io for users and groups.',
      }),
    ),
    name: t.string({ description: 'The name of the subject.' }),
    namespace: t.optional(t.string({ description: 'The namespace of the subject, if it is a service account.' })),
  },
  { atomic: true },
);

const roleRef = t.object(
  {
    apiGroup: t.optional(t.string({ description: 'The API group of the role.' })),
    kind: t.string({ description: 'The kind of the role: Role or ClusterRole.' }),
    name: t.string({ description: 'The name of the role.' }),
  },
  { atomic: true, description: 'The role that the binding grants. It cannot be changed after creation.' },
);

/** A user, group or service account that a binding grants a role to. */
export type Subject = Static<typeof subject>;
export type RoleRef = Static<typeof roleRef>;

/** The schema of RoleBinding and ClusterRoleBinding. */
export const bindingSchema: Schema = asSchema(
  t.object({
    subjects: t.optional(
      t.array(subject, { listType: 'atomic', description: 'The subjects that the role is granted to.' }),
    ),
    roleRef,
  }),
);

export function subjectsOf(binding: KubeObject): readonly Subject[] {
  return listAt(binding as JsonValue, 'subjects') as unknown as readonly Subject[];
}

export function roleRefOf(binding: KubeObject): RoleRef {
  const at = (member: string) => textAt(binding as JsonValue, 'roleRef', member);
  return { apiGroup: at('apiGroup'), kind: at('kind'), name: at('name') };
}

export const bindingColumns: readonly Column[] = [
  column('Role', (binding) => `${roleRefOf(binding).kind}/${roleRefOf(binding).name}`, {
    description: 'The role that is granted.',
  }),
  ageColumn,
  whoColumn('Users', 'User', ({ name }) => name),
  whoColumn('Groups', 'Group', ({ name }) => name),
  whoColumn('ServiceAccounts', 'ServiceAccount', ({ namespace = '', name }) => `${namespace}/${name}`),
];

function whoColumn(name: string, kind: string, shown: (subject: Subject) => string): Column {
  const list = (binding: KubeObject) =>
    subjectsOf(binding)
      .filter((each) => each.kind === kind)
      .map(shown)
      .join(', ');
  return column(name, list, { description: `The ${name} that the role is granted to.`, wide: true });
}

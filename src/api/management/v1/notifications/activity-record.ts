import { column } from '../../../columns.ts';
import { defineKind } from '../../../define-kind.ts';
import type { TypedObject } from '../../../meta.ts';
import { managementCategory, managementGroup, managementVersion } from '../../../naming.ts';
import type { ResourceKind } from '../../../resource.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

/**
 * The values of `action`. The first line lists actions of users; the second line lists observations and actions of the
 * server.
 */
export const activityActions = [
  ...['Created', 'Changed', 'Shared', 'SleepRequested', 'WakeRequested', 'Deleted'],
  ...['Ready', 'Slept', 'Woke', 'Failed', 'Recovered'],
] as const;

const schema = t.object({
  action: t.string({
    description:
      'Created, Changed, Shared, SleepRequested, WakeRequested, Deleted, Ready, Slept, Woke, Failed or Recovered. More values may be added.',
  }),
  type: t.string({ description: 'Normal, or Warning for a failure.' }),
  actor: t.optional(
    t.string({ description: 'Name of the user or team that did it. Absent if the server did it by itself.' }),
  ),
  message: t.string({ description: 'Human-readable description.' }),
  involvedObject: t.object(
    {
      kind: t.string({ description: 'Kind of the object.' }),
      namespace: t.optional(t.string({ description: 'Namespace of the object. Absent at cluster scope.' })),
      name: t.string({ description: 'Name of the object.' }),
      uid: t.string({ description: 'UID of the object. A later object of the same name has another one.' }),
    },
    { description: 'Object that the record is about.' },
  ),
});

type ColumnFields = Pick<Static<typeof schema>, 'actor' | 'involvedObject'>;

/**
 * The namespace of records about objects that belong to no project. Kubernetes uses the same namespace for events of
 * cluster-scoped objects.
 */
export const fleetActivityNamespace = 'default';

export const activityRecordKind: ResourceKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ActivityRecord',
  plural: 'activityrecords',
  singular: 'activityrecord',
  shortNames: ['activity'],
  categories: [managementCategory],
  namespaced: true,
  description:
    'Something that happened to an object: who created, changed, shared or deleted it, and when it slept, woke or failed. A list starts with the newest record.',
  schema,
  columns: [
    column('Time', 'metadata.creationTimestamp', { type: 'date', description: 'Time since the record was written.' }),
    column<ColumnFields>('Actor', ({ actor }) => actor || '<server>', {
      description: 'User or team that did it.',
      path: 'actor',
    }),
    column('Action', 'action', { description: 'What happened.' }),
    column<ColumnFields>('Object', ({ involvedObject: about }) => `${about.kind}/${about.name}`, {
      description: 'Object that the record is about.',
      path: 'involvedObject.name',
    }),
    column('Message', 'message', { description: 'Description.' }),
  ],
  selectableFields: ['action', 'type', 'actor', 'involvedObject.kind', 'involvedObject.name', 'involvedObject.uid'],
});

export type ActivityRecord = TypedObject<Static<typeof schema>>;

import type { JsonObject } from '@flotilla/json';
import type { AccessEntry } from '../../api/management/v1/access.ts';
import { activityRecordKind } from '../../api/management/v1/notifications/activity-record.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { typedObject } from '../../api/resource.ts';
import { accessListGrants, reading } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import type { Caller } from './caller.ts';
import type { GuardedFields, GuardedObject } from './guarded-object.ts';
import { owns } from './owns.ts';
import { hasRole } from './project-grants.ts';
import { readsProject } from './reads-project.ts';

/** The permissions on the object of an activity record, as they were when the record was written. */
export type ActivityReaders = {
  /** The UID of the project that contained the object. A later project with the same name has a different UID. */
  projectUid?: string;
  owner?: Owner;
  access?: AccessEntry[];
};

/** The hidden part of an activity record. */
type ActivityRecordHidden = { readers?: ActivityReaders };

/**
 * Returns the hidden part of an activity record (data that clients never see), with these permissions as its content.
 */
export function hiddenActivityReaders(readers: ActivityReaders): ActivityRecordHidden {
  return { readers };
}

/**
 * Casts the hidden part of an activity record. The cast is safe, because `hiddenActivityReaders` created the hidden
 * part.
 */
function readersIn(hidden: JsonObject | undefined): ActivityReaders {
  const { readers = {} } = (hidden ?? {}) as ActivityRecordHidden;
  return readers;
}

/**
 * Returns an activity record in the form that the authorizer needs. The form includes the owner and the `access` list
 * that the object of the record had when the record was written. The authorizer uses these values if the object has
 * been deleted.
 */
export function guardedActivityRecord(record: KubeObject, hidden: JsonObject | undefined): GuardedObject {
  const { apiVersion, kind, metadata, involvedObject } = typedObject<GuardedFields>(activityRecordKind, record);
  const { projectUid = '', ...spec } = readersIn(hidden);
  return { apiVersion, kind, metadata, spec, projectUid, ...(involvedObject === undefined ? {} : { involvedObject }) };
}

interface RecordContext {
  readonly caller: Caller;
  readonly state: AccessState;
  readonly namespace: string;
  readonly project?: Project | undefined;
  /** The activity record. Absent if the request names no record. */
  readonly object?: GuardedObject | undefined;
}

/**
 * True if the caller may read the object of an activity record: the project, or an instance in it. The project is
 * identified by its UID, so a later project with the same name does not show the record.
 */
export function readsActivityRecord({ caller, state, namespace, project, object: record }: RecordContext): boolean {
  if (record?.involvedObject === undefined) return false;
  if (project === undefined || project.metadata.uid !== record.projectUid) return false;
  if (hasRole(caller, project, 'admin')) return true;
  const { kind, name, uid } = record.involvedObject;
  if (kind === projectKind.kind) return readsProject({ caller, project });
  const find = instances[kind];
  if (find === undefined) return false;
  const found = find(state, namespace, name);
  const guarded = found !== undefined && found.metadata.uid === uid ? found : record;
  return owns(caller, guarded) || accessListGrants(caller, guarded, reading);
}

const instances: Readonly<
  Record<string, (state: AccessState, namespace: string, name: string) => GuardedObject | undefined>
> = {
  [virtualClusterInstanceKind.kind]: (state, namespace, name) => state.instance(namespace, name),
  [spaceInstanceKind.kind]: (state, namespace, name) => state.space(namespace, name),
};

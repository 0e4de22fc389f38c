import { fleetActivityNamespace } from '../../api/management/v1/notifications/activity-record.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { projectNamespace, projectOfNamespace } from '../../api/naming.ts';
import { typedObject } from '../../api/resource.ts';
import type { ActivityReaders } from '../../auth/authz/activity-readers.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { SharedFields, SharedObject } from '../shared-fields.ts';
import { describeChange } from './describe-change.ts';

/**
 * The maximum number of characters of an `access` list in a record. If the list is longer, only the owner of the object
 * and the admins of the project can read the records of the object after its deletion.
 */
const maxAccessLength = 2_048;

type Dependencies = Pick<ManagementDependencies, 'state' | 'clock' | 'activity'>;

/** Adds activity records to the transactions that write objects. `describeChange` decides which writes have a record. */
export function withActivity(resource: StoredResource, dependencies: Dependencies): StoredResource {
  const { state, clock, activity } = dependencies;
  return {
    ...resource,
    writtenAlongside(old, next, context) {
      const others = resource.writtenAlongside?.(old, next, context) ?? [];
      const [before, after] = [old, next].map((one) => one && typedObject<SharedFields>(resource, one.object));
      const object = after ?? before;
      if (object === undefined || context === undefined) return others;
      const change = describeChange(before, after, { isByServer: context.system });
      if (change === undefined) return others;
      const { namespace: own = '', name = '', uid = '' } = object.metadata;
      const namespace = recordNamespace(resource.kind, object);
      const time = clock.now();
      const stored = {
        ...change,
        ...(context.system ? {} : { actor: actorOf(context) }),
        involvedObject: { kind: resource.kind, ...(own === '' ? {} : { namespace: own }), name, uid },
        time,
        readers: readersOf(resource.kind, object, (project) => state.project(project)),
      };
      return [...others, ...activity.writesOf(namespace, stored)];
    },
  };
}

/**
 * Returns the namespace for the records about an object: the namespace of its project, or one namespace for all objects
 * outside of projects.
 */
function recordNamespace(kind: string, { metadata: { namespace = '', name = '' } }: SharedObject): string {
  if (kind === projectKind.kind) return projectNamespace(name);
  return namespace === '' ? fleetActivityNamespace : namespace;
}

/** Returns the name of the user or team that is responsible for a request. */
export function actorOf({ user, responsible }: Pick<RequestContext, 'user' | 'responsible'>): string {
  const { user: name, team, subject } = callerOf(user);
  return responsible ?? name ?? team ?? subject;
}

function readersOf(
  kind: string,
  object: SharedObject,
  findProject: (name: string) => Project | undefined,
): ActivityReaders {
  const { namespace = '', uid } = object.metadata;
  const projectUid = kind === projectKind.kind ? uid : findProject(projectOfNamespace(namespace) ?? '')?.metadata.uid;
  const { owner: { user = '', team = '' } = {}, access } = object.spec ?? {};
  const owner: Owner | undefined = user === '' && team === '' ? undefined : user === '' ? { team } : { user };
  const isKept = access !== undefined && access.length > 0 && JSON.stringify(access).length <= maxAccessLength;
  return {
    ...(projectUid === undefined ? {} : { projectUid }),
    ...(owner === undefined ? {} : { owner }),
    ...(isKept ? { access } : {}),
  };
}

import { type FieldError, fieldNotFound, invalid, required } from '../../api/field-error.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import {
  type EffectiveAccessSpec,
  type EffectiveAccessStatus,
  effectiveAccessReviewKind,
} from '../../api/management/v1/effective-access-review.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import { projectNamespace } from '../../api/naming.ts';
import { groupResourceOf, type ResourceKind, typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { forbidden, invalidObject } from '../../api/status.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import { guardedKind } from '../../auth/authz/guarded-kinds.ts';
import { hasRole } from '../../auth/authz/project-grants.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from '../subresources/computed-object.ts';
import { findSubject, type SubjectRef } from './access-subjects.ts';
import { accessOf, accessTo, readContinue } from './list-access.ts';

export type EffectiveAccessOptions = Pick<ManagementDependencies, 'state' | 'clock'>;

interface ReviewOptions extends EffectiveAccessOptions {
  /** Waits until the caller may use more CPU time. Optional. */
  readonly nextTimeSlice: RequestContext['nextTimeSlice'] | undefined;
}

const kind = effectiveAccessReviewKind;

/** The kinds that `spec.object` names. */
const kindsOfObjects: readonly ResourceKind[] = [
  projectKind,
  clusterKind,
  virtualClusterTemplateKind,
  spaceTemplateKind,
  userKind,
  teamKind,
];

/**
 * Maximum number of entries in a response. Entries that belong together are not split, so a response may have a few
 * more.
 */
const maxEntries = 500;

const instanceFields = ['virtualClusterInstance', 'spaceInstance'] as const;
const objectFields = [...instanceFields, 'object'] as const;
const subjectFields = ['user', 'team', 'accessKey', ...objectFields] as const;

/**
 * POST `effectiveaccessreviews`: lists the access of a subject, or the subjects with access to an object. Stores
 * nothing.
 */
export function effectiveAccessReviews(options: EffectiveAccessOptions): MountedResource {
  return {
    kind,
    verbs: {
      async create(context, sent) {
        const name = sent.metadata.name ?? '';
        throwIfInvalid(name, validateSchema(kind.schema, sent, ''));
        const spec = typedObject(kind, sent).spec ?? {};
        throwIfInvalid(name, specErrors(spec));
        await options.state.caughtUp();
        const viewer = requireViewer(spec, context, options.state);
        const review = { ...options, nextTimeSlice: context.nextTimeSlice };
        const status = await (viewer === 'projectAdmin' ? statusInProject(spec, review) : statusOf(spec, review));
        if (status === undefined) throw invalidObject(kind, name, [subjectNotFound(spec)]);
        return computedObject(kind, sent.metadata, { spec, status });
      },
    },
    subresources: {},
  };
}

function throwIfInvalid(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(kind, name, [...errors]);
}

function specErrors(spec: EffectiveAccessSpec): FieldError[] {
  const given = subjectFields.filter((field) => !['', undefined].includes(spec[field] as string | undefined));
  const list = 'user, team, accessKey, virtualClusterInstance, spaceInstance and object';
  return [
    ...(given.length === 0 ? [required('spec', `exactly one of ${list} must be set`)] : []),
    ...given.slice(1).map((field) => invalid(`spec.${field}`, spec[field], `exactly one of ${list} must be set`)),
    ...objectFields
      .filter((field) => spec.project !== undefined && spec[field] !== undefined)
      .map((field) => invalid('spec.project', spec.project, `must not be set together with ${field}`)),
    ...(spec.limit !== undefined && (spec.limit < 1 || spec.limit > maxEntries)
      ? [invalid('spec.limit', spec.limit, `must be between 1 and ${maxEntries}`)]
      : []),
    ...((spec.continue ?? '') !== '' && readContinue(spec.continue ?? '') === undefined
      ? [invalid('spec.continue', spec.continue, 'must be the value of status.continue of a previous response')]
      : []),
  ];
}

/**
 * Throws 403 unless the caller may review the subject. The error does not reveal whether the subject exists. Returns
 * `projectAdmin` if the caller may review the subject only as an admin of the project.
 */
function requireViewer(
  spec: EffectiveAccessSpec,
  { user, system }: RequestContext,
  state: ManagementState,
): 'subjectReader' | 'projectAdmin' {
  const caller = callerOf(user);
  if (system || caller.isAdmin || caller.isAuditor) return 'subjectReader';
  const key = state.accessKey(spec.accessKey ?? '')?.spec;
  const isOwn =
    (caller.user !== undefined && (spec.user === caller.user || key?.user === caller.user)) ||
    caller.teams.includes(spec.team ?? '') ||
    caller.teams.includes(key?.team ?? '');
  if (isOwn) return 'subjectReader';
  const project = projectInQuestion(spec);
  // Reviews of access keys are excluded: admins of a project cannot read the access keys of others.
  if ((spec.accessKey ?? '') === '' && hasRole(caller, state.project(project), 'admin')) return 'projectAdmin';
  throw forbidden(
    groupResourceOf(kind),
    '',
    'only admins and auditors may review the access of others; admins of a project may review the project, an instance of it, or a user or team with spec.project',
  );
}

/** Returns the project whose admins may also request the review; '' if there is no such project. */
function projectInQuestion({
  virtualClusterInstance,
  spaceInstance,
  object,
  project = '',
}: EffectiveAccessSpec): string {
  if (object !== undefined) return object.resource === projectKind.plural ? object.name : '';
  return (virtualClusterInstance ?? spaceInstance)?.project ?? project;
}

/**
 * Returns the status for an admin of the project. Lists nothing for a subject that does not exist or is disabled, as
 * for a subject without access to the project. A different result would reveal users that the caller may not read.
 */
async function statusInProject(
  spec: EffectiveAccessSpec,
  review: ReviewOptions,
): Promise<EffectiveAccessStatus | undefined> {
  const status = await statusOf(spec, review);
  if (objectFields.some((field) => spec[field] !== undefined)) return status;
  return status === undefined || status.inactive !== undefined ? { entries: [] } : status;
}

/** Returns the status. `undefined` if the subject does not exist. */
async function statusOf(
  spec: EffectiveAccessSpec,
  { state, clock, nextTimeSlice }: ReviewOptions,
): Promise<EffectiveAccessStatus | undefined> {
  const limit = spec.limit ?? maxEntries;
  const after = readContinue(spec.continue ?? '');
  const now = clock.now();
  const { virtualClusterInstance: ofInstance, spaceInstance: ofSpace } = spec;
  if (ofInstance !== undefined) {
    const instance = state.instance(projectNamespace(ofInstance.project), ofInstance.name);
    return instance && accessTo(virtualClusterInstanceKind, instance, state, { after, limit, now, nextTimeSlice });
  }
  if (ofSpace !== undefined) {
    const space = state.space(projectNamespace(ofSpace.project), ofSpace.name);
    return space && accessTo(spaceInstanceKind, space, state, { after, limit, now, nextTimeSlice });
  }
  if (spec.object !== undefined) {
    const { resource, name } = spec.object;
    const kind = kindsOfObjects.find(({ plural }) => plural === resource);
    const exists = kind !== undefined && guardedKind(kind.group, kind.plural)?.find?.(state, '', name) !== undefined;
    return exists ? accessTo(kind, { metadata: { name } }, state, { after, limit, now, nextTimeSlice }) : undefined;
  }
  const ref = subjectOf(spec);
  const found = findSubject(ref, state, now);
  return found && accessOf(ref, found, state, { after, limit, nextTimeSlice, project: spec.project || undefined });
}

function subjectNotFound(spec: EffectiveAccessSpec): FieldError {
  for (const field of instanceFields) {
    const instance = spec[field];
    if (instance !== undefined) return fieldNotFound(`spec.${field}`, `${instance.project}/${instance.name}`);
  }
  if (spec.object !== undefined) return fieldNotFound('spec.object.name', spec.object.name);
  const ref = subjectOf(spec);
  return fieldNotFound(`spec.${ref.kind === 'AccessKey' ? 'accessKey' : ref.kind.toLowerCase()}`, ref.name);
}

function subjectOf({ user = '', team = '', accessKey = '' }: EffectiveAccessSpec): SubjectRef {
  if (user !== '') return { kind: 'User', name: user };
  return team !== '' ? { kind: 'Team', name: team } : { kind: 'AccessKey', name: accessKey };
}

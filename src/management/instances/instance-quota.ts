import { writeJson } from '@flotilla/json';
import type { Project } from '../../api/management/v1/project.ts';
import { projectNamespace } from '../../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { InstanceDraft } from '../drafts.ts';
import { isUnscopedAdmin } from '../subject.ts';
import { ownerKey } from './instance-index.ts';
import type { InstanceRules } from './instance-rules.ts';
import { quotaLimit } from './quota-limit.ts';

/**
 * If at most this many instances can still be created in a project, create requests run one after another. Otherwise
 * they run concurrently, because more concurrent creates than this number would be needed to exceed the limit. In a
 * shared store, all creates with a limit run one after another, because each of them takes the guard of the limit.
 */
const serializedBelow = 100;

/**
 * The names of the guards for the limits per project and per owner. A guard is a row that makes a limit exact in a
 * shared store. The names for virtual clusters must not change, because old and new replicas run together during an
 * update.
 */
const guardsOf = ({ limits }: InstanceRules) => ({ project: `${limits}-of-projects`, owner: `${limits}-of-owners` });

interface InstanceLimit {
  readonly most: number;
  /**
   * The end of the error message: where the limit is set. Empty for a quota of the project, because the message names
   * the project.
   */
  readonly origin: string;
}

/** The limits that apply to a write of a caller in a project. `undefined` if there is no limit. */
interface InstanceLimits {
  readonly project: InstanceLimit | undefined;
  /** The limit of each owner. */
  readonly owner: InstanceLimit | undefined;
}

type Dependencies = Pick<ManagementDependencies, 'state' | 'settings'>;

/**
 * Throws 403 if the project or the owner already has the maximum number of instances, or the instances of the project
 * have reached their maximum total size. In a shared store, first takes the guards of the limits that apply. A guard is
 * a row that every such create checks and replaces, so the limit is exact.
 */
export function checkInstanceQuota(
  rules: InstanceRules,
  draft: InstanceDraft,
  project: Project,
  { context, state, settings }: Dependencies & { readonly context: RequestContext },
): MaybePromise<void> {
  const { object, old } = draft;
  const { kind } = rules;
  if (!isUnscopedAdmin(context, state)) checkSize(rules, draft, project, { state, settings });
  const owner = ownerKey(object);
  const limits = instanceLimits(rules, project, context, { state, settings });
  const isNew = old === undefined;
  const changesOwner = owner !== '' && (isNew || owner !== ownerKey(old.object));
  const ofProject = isNew ? limits.project : undefined;
  const ofOwner = changesOwner ? limits.owner : undefined;
  if (ofProject === undefined && ofOwner === undefined) return;

  const { name = '' } = project.metadata;
  const check = () => {
    const present = rules.find(state, projectNamespace(name), object.metadata.name ?? '');
    const inProject = state.instanceCount(kind, name) - (present === undefined ? 0 : 1);
    const isCounted = present !== undefined && ownerKey(present) === owner;
    const owned = state.instancesOwnedBy(kind, name, owner) - (isCounted ? 1 : 0);
    refuseBeyond(draft, { kind, of: `project "${name}"`, used: inProject }, ofProject);
    refuseBeyond(draft, { kind, of: owner, used: owned }, ofOwner);
  };
  if (!state.isShared()) return check();
  const names = guardsOf(rules);
  const guards = [
    ...(ofProject === undefined ? [] : [state.takeGuard(names.project, name)]),
    ...(ofOwner === undefined ? [] : [state.takeGuard(names.owner, `${name}/${owner}`)]),
  ];
  return Promise.all(guards).then((taken) => {
    draft.guards = taken;
    check();
  });
}

/**
 * Throws 403 if the instances of the project have reached their maximum total size, unless the write makes an instance
 * smaller. The size is limited because the main thread keeps all instances in memory.
 */
function checkSize(
  { kind, limits }: InstanceRules,
  { object, old }: InstanceDraft,
  project: Project,
  { state, settings }: Dependencies,
): void {
  const { bytesPerProject } = settings[limits];
  const { name = '' } = project.metadata;
  if (bytesPerProject === 0 || state.instanceBytes(kind, name) < bytesPerProject) return;
  if (old !== undefined && writeJson(object).length <= writeJson(old.object).length) return;
  throw forbidden(
    groupResourceOf(kind),
    object.metadata.name ?? '',
    `the ${limits} of project "${name}" have reached the limit of ${bytesPerProject} bytes (server setting ${limits}.bytesPerProject); delete ${limits} or use smaller templates`,
  );
}

/** True if creates in the project must run one after another, because concurrent creates could exceed a limit. */
export function mustSerializeCreates(
  rules: InstanceRules,
  project: Project | undefined,
  context: RequestContext,
  { state, settings }: Dependencies,
): boolean {
  if (project === undefined) return false;
  const limits = instanceLimits(rules, project, context, { state, settings });
  const most = Math.min(limits.project?.most ?? Infinity, limits.owner?.most ?? Infinity);
  if (state.isShared()) return most < Infinity;
  return most - state.instanceCount(rules.kind, project.metadata.name ?? '') <= serializedBelow;
}

/**
 * Returns the quotas of the project. Quotas that the project does not set have the server's defaults. These defaults do
 * not apply to admins of the installation, because an admin could raise them anyway.
 */
function instanceLimits(
  { kind, limits }: InstanceRules,
  { spec }: Project,
  context: RequestContext,
  { state, settings }: Dependencies,
): InstanceLimits {
  const defaults = settings[limits];
  const limitFor = (quota: 'project' | 'user', setting: 'perProject' | 'perUser'): InstanceLimit | undefined => {
    const set = quotaLimit(spec?.quotas?.[quota]?.[kind.plural]);
    if (set !== undefined) return { most: set, origin: '' };
    const most = defaults[setting];
    if (most === 0 || isUnscopedAdmin(context, state)) return undefined;
    const origin = `; the limit is the server setting ${limits}.${setting}; delete ${limits}, or ask an admin to set spec.quotas.${quota} of the project`;
    return { most, origin };
  };
  return { project: limitFor('project', 'perProject'), owner: limitFor('user', 'perUser') };
}

interface Usage {
  readonly kind: ResourceKind;
  /** The project or owner that the limit applies to, for the error message. */
  readonly of: string;
  readonly used: number;
}

function refuseBeyond(draft: InstanceDraft, { kind, of, used }: Usage, limit: InstanceLimit | undefined): void {
  if (limit === undefined || used < limit.most) return;
  const counted = kind.plural;
  throw forbidden(
    groupResourceOf(kind),
    draft.object.metadata.name ?? '',
    `exceeded quota of ${of}, requested: ${counted}=1, used: ${counted}=${used}, limited: ${counted}=${limit.most}${limit.origin}`,
  );
}

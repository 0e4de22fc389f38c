import { writeJson } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { secretKind } from '../../api/core/secret.ts';
import type { Project } from '../../api/management/v1/project.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { isUnscopedAdmin } from '../subject.ts';

type Dependencies = Pick<ManagementDependencies, 'state' | 'settings'>;

/**
 * The name of the guard of the quota: a row that makes the limits exact in a shared store. Secrets and ConfigMaps use
 * one guard, because they share the limit on bytes.
 */
const quotaGuard = 'configuration-of-projects';

/** A write of a configuration object. */
interface ConfigWrite {
  readonly kind: ResourceKind;
  readonly draft: Draft;
  readonly project: Project;
}

/**
 * Throws 403 if a write exceeds the limits on the Secrets and ConfigMaps of a project. The main thread keeps all of
 * these objects in memory. An update that makes an object at least a tenth smaller is always allowed. Above the limit
 * on bytes, any other update is refused, even if it adds no content, because it may add an entry to the managedFields.
 * In a shared store, first takes the guard of the limits: a row that every such write checks and replaces, so the
 * limits are exact.
 */
export function checkConfigQuota(
  write: ConfigWrite,
  context: RequestContext,
  dependencies: Dependencies,
): MaybePromise<void> {
  const { state } = dependencies;
  const { draft } = write;
  if (context.system || isUnscopedAdmin(context, state)) return;
  const before = draft.old === undefined ? 0 : sizeOf(draft.old.object);
  const after = sizeOf(draft.object);
  if (after <= 0.9 * before) return;
  const bytes = Math.max(0, after - before);
  if (!state.isShared() || bytes === 0) return refuseBeyondLimits(write, bytes, dependencies);
  return state.takeGuard(quotaGuard, write.project.metadata.name ?? '').then((guard) => {
    draft.guards = [guard];
    refuseBeyondLimits(write, bytes, dependencies);
  });
}

/** Throws 403 if a write that adds this number of bytes exceeds a limit. */
function refuseBeyondLimits(write: ConfigWrite, bytes: number, { state, settings }: Dependencies): void {
  const { kind, draft } = write;
  const { name = '' } = draft.object.metadata;
  const { name: project = '' } = write.project.metadata;
  const setting = kind.plural === secretKind.plural ? 'maxSecrets' : 'maxConfigMaps';
  const most = settings.projects[setting];
  const count = state.configObjectCount(kind, project);
  const advice = 'delete some, for example old revisions of Helm releases (helm upgrade --history-max)';
  if (draft.old === undefined && most > 0 && count >= most) {
    throw forbidden(
      groupResourceOf(kind),
      name,
      `exceeded quota of project "${project}", requested: ${kind.plural}=1, used: ${kind.plural}=${count}, limited: ${kind.plural}=${most}; the limit is the server setting projects.${setting}; ${advice}`,
    );
  }
  const { maxConfigBytes } = settings.projects;
  if (maxConfigBytes === 0) return;
  const used = state.configObjectBytes(project);
  if (used + bytes <= maxConfigBytes) return;
  throw forbidden(
    groupResourceOf(kind),
    name,
    `the Secrets and ConfigMaps of project "${project}" have ${used} bytes, and this write adds ${bytes}; the limit is ${maxConfigBytes} bytes (server setting projects.maxConfigBytes); ${advice}`,
  );
}

/** Returns the size of an object in bytes of JSON, without managedFields, which the server computes later. */
function sizeOf({ metadata: { managedFields: _, ...metadata }, ...object }: KubeObject): number {
  return byteLength(writeJson({ ...object, metadata } as KubeObject));
}

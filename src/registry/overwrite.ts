import type { KubeObject } from '../api/meta.ts';
import { cloneJson, equalJson } from '../lib/json-value.ts';
import { mustAwait } from '../lib/maybe-promise.ts';
import { admitted } from './admission.ts';
import { answerDryRun, answerVanished, answerWritten } from './answer.ts';
import { sameButTimes } from './apply/same-but-times.ts';
import type { CachedObject } from './cached-object.ts';
import { checkClaims, commit, type ObjectWrite } from './commit.ts';
import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { mayVanish, updatedMetadata } from './metadata.ts';
import { ownCopy, putStatus } from './own-copy.ts';
import type { Draft, StoredRecord } from './resource.ts';
import { written } from './served.ts';
import { settleMain, settleStatus } from './settle-draft.ts';
import type { WriteOptions, Written } from './verbs.ts';

export interface Overwrite {
  /** The part of the object to write: `status` as a subresource, or everything else. */
  readonly part: 'main' | 'status';
  /** The endpoint of the request: '', `status`, or another one that writes the main part (`scale`). */
  readonly subresource: string;
  readonly dryRun: boolean;
  /** True if the object was derived from the current one and decoded in the form of the kind. */
  readonly isShaped?: boolean;
  /** Updates managedFields; called when the content is final. */
  track(next: KubeObject, live: KubeObject): KubeObject;
  /** False for apply, which depends on managedFields (rule CREATE-31). */
  readonly mayForgetOwnership: boolean;
}

/** Returns the endpoint of a write; subresources that write the main part name themselves in the options. */
export function subresourceOf(part: Overwrite['part'], options: Pick<WriteOptions, 'subresource'>): string {
  return part === 'status' ? 'status' : (options.subresource ?? '');
}

/**
 * Writes the object, unless nothing changes (UPDATE-15), or removes it if this write resolves the last reason that
 * blocked its deletion (UPDATE-18). `sent` is the complete desired object; members outside of the part are restored
 * from the current one.
 */
export async function overwrite(
  kind: KindRuntime,
  context: RequestContext,
  current: CachedObject,
  sent: KubeObject,
  options: Overwrite,
): Promise<Written> {
  const draft: Draft = {
    object: options.part === 'main' ? mainPart(kind, current.record, sent) : statusPart(kind, current.record, sent),
    hidden: cloneJson(current.record.hidden ?? {}),
    old: current.record,
  };
  const { form } = kind.resource;
  const isInForm = options.isShaped === true && form !== undefined && current.isIn(form);
  const completing =
    options.part === 'main'
      ? settleMain(kind, context, draft, options.subresource, isInForm)
      : settleStatus(kind, context, draft, isInForm);
  if (mustAwait(completing)) await completing;
  draft.object = options.track(draft.object, current.record.object);
  const { subresource, dryRun } = options;
  return admitted(kind, { operation: 'UPDATE', subresource, draft, context, dryRun }, () =>
    storeUpdate(kind, current, draft, options),
  );
}

async function storeUpdate(
  kind: KindRuntime,
  current: CachedObject,
  draft: Draft,
  options: Overwrite,
): Promise<Written> {
  const next: StoredRecord = { object: draft.object, hidden: draft.hidden };
  if (unchanged(current.record, next) && !current.isOfOldVersion) return written(current.served, false);
  const isRemoved = mayVanish(kind.resource, draft.object, kind.clock.now());
  const write: ObjectWrite = {
    place: current,
    old: current,
    draft,
    mayForgetOwnership: options.mayForgetOwnership,
    ...(isRemoved ? {} : { next }),
  };
  if (options.dryRun) {
    await checkClaims(kind, write);
    return written(answerDryRun(kind, draft.object, current.revision), false);
  }
  const revision = await commit(kind, write);
  const served = isRemoved
    ? answerVanished(kind, draft.object, current.revision)
    : answerWritten(kind, current, revision, draft);
  return written(served, false);
}

function mainPart({ resource }: KindRuntime, old: StoredRecord, sent: KubeObject): KubeObject {
  const object = ownCopy(resource, sent);
  object.metadata = updatedMetadata(object.metadata, old.object.metadata);
  if (resource.hasStatus) putStatus(resource, object, old.object.status);
  return object;
}

/** STATUS-02: everything but status stays unchanged. */
function statusPart({ resource }: KindRuntime, old: StoredRecord, sent: KubeObject): KubeObject {
  const object = ownCopy(resource, old.object);
  putStatus(resource, object, sent.status);
  return object;
}

/** A write that only updates times in managedFields is no change (SSA-26). */
function unchanged(old: StoredRecord, next: StoredRecord): boolean {
  return sameButTimes(old.object, next.object) && equalJson(old.hidden ?? {}, next.hidden ?? {});
}

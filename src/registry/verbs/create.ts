import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { alreadyExists, alreadyExistsTerminating, generatedNameTaken, type StatusError } from '../../api/status.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import { admitAndStore } from '../admission.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { mutateNew } from '../mutation.ts';
import type { Draft } from '../resource.ts';
import type { ServedObject, WriteOptions } from '../verbs.ts';
import { checkClaims, commit, type ObjectWrite } from '../write/commit.ts';
import { completeMainDraft } from '../write/complete-draft.ts';
import { draftCopy, setStatus } from '../write/draft-copy.ts';
import { generateName, maxGenerateNameAttempts } from '../write/generate-name.ts';
import { newMetadata } from '../write/metadata.ts';
import { NameTakenError } from '../write/name-taken-error.ts';
import { rejectOversized } from '../write/reject-oversized.ts';
import type { RequiredCheck } from '../write/required-check.ts';
import { retryOnConflict, withWarningsOnce } from '../write/retry-on-conflict.ts';
import { sentFieldsOf, trackDraft, trackNewObject } from '../write/track-write.ts';
import { checkNamespace, rejectVersionOnCreate } from './body-checks.ts';
import { requireCreatable } from './create-checks.ts';
import type { WriteContext } from './verb-context.ts';
import { dryRunObject, writtenObject } from './written-object.ts';

/** Creates an object: a POST to the collection. */
export function create(
  kind: KindRuntime,
  caller: RequestContext,
  sent: KubeObject,
  options: WriteOptions,
): Promise<ServedObject> {
  const context = withWarningsOnce(caller);
  // A create waits for webhooks before it enters its queue, so that other creates in the queue do not wait for them.
  return andThen(mutateNew(kind, context, sent, options.dryRun), (mutated) =>
    runInCreateQueue(kind, context, mutated, () => createNamed(kind, context, { sent, mutated }, options)),
  );
}

/** The object of a create, as the client sent it and after mutating admission. */
interface SentObject {
  readonly sent: KubeObject;
  readonly mutated: KubeObject;
}

/** Runs a create. If the kind assigns a queue to the object, first waits for earlier creates in the same queue. */
export function runInCreateQueue<T>(
  kind: KindRuntime,
  context: RequestContext,
  sent: KubeObject,
  work: () => Promise<T>,
): Promise<T> {
  const queue = kind.resource.createQueue?.(sent, context);
  return queue === undefined ? work() : kind.createQueues.run(queue, work);
}

async function createNamed(
  kind: KindRuntime,
  context: RequestContext,
  { sent: unmutated, mutated: sent }: SentObject,
  options: WriteOptions,
): Promise<ServedObject> {
  const namespace = kind.resource.namespaced ? context.namespace : '';
  checkNamespace(kind.resource, sent.metadata, namespace);
  if (!options.dryRun) rejectVersionOnCreate(sent);
  const retry = { asksFirst: options.dryRun };
  const creation: CreationOptions = {
    dryRun: options.dryRun,
    mayDropManagedFields: true,
    unmutated,
    track: (next) => trackNewObject(kind, options.fieldManager, next, unmutated),
  };
  const givenName = sent.metadata.name ?? '';
  const namePrefix = sent.metadata.generateName || kind.resource.autoName || '';
  if (givenName !== '' || namePrefix === '') {
    const write: WriteContext = { kind, context, key: { namespace, name: givenName } };
    try {
      return await retryOnConflict(kind, context, () => createUnderKey(write, sent, creation), retry);
    } catch (error) {
      throw error instanceof NameTakenError ? nameTakenError(kind, sent, error.holder) : error;
    }
  }
  for (let attempt = 1; ; attempt++) {
    const key = { namespace, name: generateName(namePrefix, kind.ids.suffix()) };
    try {
      const write: WriteContext = { kind, context, key };
      return await retryOnConflict(kind, context, () => createUnderKey(write, sent, creation), retry);
    } catch (error) {
      if (!(error instanceof NameTakenError)) throw error;
      if (attempt === maxGenerateNameAttempts) throw generatedNameTaken(groupResourceOf(kind.resource), key.name);
    }
  }
}

/** Returns the error for a name that another object has (CREATE-14, CREATE-17, CREATE-18). */
function nameTakenError(kind: KindRuntime, sent: KubeObject, holder: CachedObject): StatusError {
  const resource = groupResourceOf(kind.resource);
  if ((sent.metadata.generateName ?? '') !== '') return generatedNameTaken(resource, holder.name);
  if (holder.record.object.metadata.deletionTimestamp !== undefined)
    return alreadyExistsTerminating(resource, holder.name);
  return alreadyExists(resource, holder.name);
}

export interface CreationOptions {
  readonly dryRun: boolean;
  /**
   * The object before mutating admission. Fields that admission changes keep their owners, and fields that admission
   * adds have none.
   */
  readonly unmutated: KubeObject;
  /** Updates managedFields. Called after all other changes to the object. */
  track(next: KubeObject): KubeObject;
  /**
   * True if managedFields may be dropped from an object that is too large to be stored (CREATE-31). False for apply,
   * because apply depends on managedFields.
   */
  readonly mayDropManagedFields: boolean;
}

/**
 * Tries once to create an object under a key. Throws or rejects with NameTakenError, ObjectChangedError or an API
 * error.
 */
export function createUnderKey(
  write: WriteContext,
  sent: KubeObject,
  creation: CreationOptions,
): Promise<ServedObject> {
  const { kind, context, key } = write;
  const requires = requireCreatable(kind, key.namespace, sent.metadata);
  rejectOversized(kind, sent);
  const draft: Draft = { object: newObject(kind, key, sent), hidden: {}, sent };
  const { unmutated } = creation;
  const sentFields = unmutated === sent ? sentFieldsOf(kind, draft.object) : newObject(kind, key, unmutated);
  if (!context.system) kind.planeCallbacks.completeNew?.(kind.resource, draft.object);
  const store = (): Promise<ServedObject> => {
    draft.object = trackDraft(draft.object, sentFields, creation.track);
    return admitAndStore(kind, { operation: 'CREATE', subresource: '', draft, context, dryRun: creation.dryRun }, () =>
      storeNew(write, draft, creation, requires),
    );
  };
  return andThen(completeMainDraft(kind, context, draft), store);
}

async function storeNew(
  { kind, key, context }: WriteContext,
  draft: Draft,
  creation: CreationOptions,
  requires: readonly RequiredCheck[],
): Promise<ServedObject> {
  const next = { object: draft.object, hidden: draft.hidden };
  const holder = kind.cache.get(key.namespace, key.name);
  if (holder !== undefined) throw new NameTakenError(holder);
  const { mayDropManagedFields } = creation;
  const write: ObjectWrite = {
    key,
    next,
    draft,
    mayDropManagedFields,
    requires,
    context,
  };
  if (creation.dryRun) {
    await checkClaims(kind, write);
    return dryRunObject(kind, draft.object);
  }
  return writtenObject(kind, key, await commit(kind, write), draft);
}

/** Returns a copy of the sent object with the fields that only the server sets (CREATE-02, CREATE-03, CREATE-04). */
function newObject(kind: KindRuntime, key: ObjectKey, sent: KubeObject): KubeObject {
  const { resource, ids, clock } = kind;
  const object = draftCopy(resource, sent);
  object.apiVersion = apiVersionOf(resource);
  object.kind = resource.kind;
  object.metadata = newMetadata(resource, object.metadata, key, { uid: ids.uid(), now: clock.now() });
  if (resource.hasStatus) setStatus(resource, object, undefined);
  return object;
}

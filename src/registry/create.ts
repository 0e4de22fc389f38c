import { apiVersionOf, type KubeObject } from '../api/meta.ts';
import { groupResourceOf } from '../api/resource.ts';
import { alreadyExists, generatedNameTaken, type StatusError, stillBeingDeleted } from '../api/status.ts';
import { andThen } from '../lib/maybe-promise.ts';
import type { Check } from '../store/store.ts';
import { admitted } from './admission.ts';
import { answerDryRun, answerWritten } from './answer.ts';
import { checkNamespace, refuseVersionOnCreate } from './body-identity.ts';
import type { CachedObject } from './cached-object.ts';
import { checkClaims, commit, type ObjectWrite } from './commit.ts';
import type { RequestContext } from './context.ts';
import { generateAttempts, generateName } from './generate-name.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { requireNamespace } from './may-create.ts';
import { newMetadata } from './metadata.ts';
import type { Place } from './object-index.ts';
import { ownCopy, putStatus } from './own-copy.ts';
import type { Draft } from './resource.ts';
import type { SentDocument } from './sent-document.ts';
import { settleMain } from './settle-draft.ts';
import { trackNew } from './track-write.ts';
import type { Served, WriteOptions } from './verbs.ts';
import { retrying, warningOnce } from './write-loop.ts';

/** POST to the collection. */
export function create(
  kind: KindRuntime,
  caller: RequestContext,
  sent: KubeObject,
  options: WriteOptions,
): Promise<Served> {
  const context = warningOnce(caller);
  return inLane(kind, context, sent, () => createNamed(kind, context, sent, options));
}

/** Waits for the earlier creates in the same queue, if the kind assigns one. */
export function inLane<T>(
  kind: KindRuntime,
  context: RequestContext,
  sent: KubeObject,
  work: () => Promise<T>,
): Promise<T> {
  const lane = kind.resource.lane?.(sent, context);
  return lane === undefined ? work() : kind.lanes.run(lane, work);
}

async function createNamed(
  kind: KindRuntime,
  context: RequestContext,
  sent: KubeObject,
  options: WriteOptions,
): Promise<Served> {
  const namespace = kind.resource.namespaced ? context.namespace : '';
  checkNamespace(kind.resource, sent.metadata, namespace);
  if (!options.dryRun) refuseVersionOnCreate(sent);
  const creation: Creation = {
    dryRun: options.dryRun,
    document: options.document,
    mayForgetOwnership: true,
    track: (next) => trackNew(kind, options.fieldManager, next, sent),
  };
  const givenName = sent.metadata.name ?? '';
  const namePrefix = sent.metadata.generateName || kind.resource.autoName || '';
  if (givenName !== '' || namePrefix === '') {
    const key = { namespace, name: givenName };
    try {
      return await retrying(kind, context, () => createAt(kind, context, key, sent, creation));
    } catch (error) {
      throw error instanceof NameTaken ? nameTakenError(kind, sent, error.holder) : error;
    }
  }
  for (let attempt = 1; ; attempt++) {
    const key = { namespace, name: generateName(namePrefix, kind.ids.suffix()) };
    try {
      return await retrying(kind, context, () => createAt(kind, context, key, sent, creation));
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      if (attempt === generateAttempts) throw generatedNameTaken(groupResourceOf(kind.resource), key.name);
    }
  }
}

/** CREATE-14, CREATE-17, CREATE-18. */
function nameTakenError(kind: KindRuntime, sent: KubeObject, holder: CachedObject): StatusError {
  const resource = groupResourceOf(kind.resource);
  if ((sent.metadata.generateName ?? '') !== '') return generatedNameTaken(resource, holder.name);
  if (holder.record.object.metadata.deletionTimestamp !== undefined) return stillBeingDeleted(resource, holder.name);
  return alreadyExists(resource, holder.name);
}

export interface Creation {
  readonly dryRun: boolean;
  /** Updates managedFields; called when the content is final. */
  track(next: KubeObject): KubeObject;
  /** False for apply, which depends on managedFields (rule CREATE-31). */
  readonly mayForgetOwnership: boolean;
  /** The request document, if it is known. */
  readonly document?: SentDocument | undefined;
}

/** An object of that name exists. The caller decides what follows: a conflict, another name, or an update. */
export class NameTaken extends Error {
  readonly holder: CachedObject;

  constructor(holder: CachedObject) {
    super();
    this.holder = holder;
  }
}

/** Tries once to create an object; throws or rejects with NameTaken, ObjectChangedError or an API error. */
export function createAt(
  kind: KindRuntime,
  context: RequestContext,
  key: Place,
  sent: KubeObject,
  creation: Creation,
): Promise<Served> {
  const requires = requireNamespace(kind, key.namespace, sent.metadata);
  const draft: Draft = { object: newObject(kind, key, sent), hidden: {}, document: creation.document };
  const store = (): Promise<Served> => {
    draft.object = creation.track(draft.object);
    return admitted(kind, { operation: 'CREATE', subresource: '', draft, context, dryRun: creation.dryRun }, () =>
      storeNew(kind, key, draft, creation, requires),
    );
  };
  return andThen(settleMain(kind, context, draft), store);
}

async function storeNew(
  kind: KindRuntime,
  key: Place,
  draft: Draft,
  creation: Creation,
  requires: Check | undefined,
): Promise<Served> {
  const next = { object: draft.object, hidden: draft.hidden };
  const holder = kind.cache.get(key.namespace, key.name);
  if (holder !== undefined) throw new NameTaken(holder);
  const write: ObjectWrite = { place: key, next, draft, mayForgetOwnership: creation.mayForgetOwnership, requires };
  if (creation.dryRun) {
    await checkClaims(kind, write);
    return answerDryRun(kind, draft.object);
  }
  return answerWritten(kind, key, await commit(kind, write), draft);
}

/** CREATE-02, CREATE-03, CREATE-04: the server sets what clients cannot decide. */
function newObject(kind: KindRuntime, key: Place, sent: KubeObject): KubeObject {
  const { resource, ids, clock } = kind;
  const object = ownCopy(resource, sent);
  object.apiVersion = apiVersionOf(resource);
  object.kind = resource.kind;
  object.metadata = newMetadata(resource, object.metadata, key, { uid: ids.uid(), now: clock.now() });
  if (resource.hasStatus) putStatus(resource, object, undefined);
  return object;
}

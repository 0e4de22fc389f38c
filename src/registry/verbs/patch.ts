import { isJsonObject, isNestedDeeper } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { badRequest, conflict, notFound } from '../../api/status.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { toWriteResult } from '../cache/served.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { mutateNew } from '../mutation.ts';
import type { Patch, PatchOptions, WriteResult } from '../verbs.ts';
import { applyWrite } from '../write/apply-write.ts';
import { ObjectChangedError } from '../write/commit.ts';
import { maxObjectDepth, tooDeepMessage } from '../write/decode.ts';
import { NameTakenError } from '../write/name-taken-error.ts';
import { rejectOversized } from '../write/reject-oversized.ts';
import { retryOnConflict, withWarningsOnce } from '../write/retry-on-conflict.ts';
import { trackWrite, withOwnership } from '../write/track-write.ts';
import { checkName, checkNamespace, checkReplacedVersion, checkVersion } from './body-checks.ts';
import { createUnderKey, runInCreateQueue } from './create.ts';
import { requireCreatePermission } from './create-checks.ts';
import { guardedWrite } from './guarded-write.ts';
import { type OverwriteOptions, overwrite, subresourceOf } from './overwrite.ts';
import { decodeApplied, patchedObject } from './patched-object.ts';
import type { WriteContext } from './verb-context.ts';

/** The parameters of a patch request. `part` is the patched part: the object or its status. */
export interface PatchRequest {
  readonly part: OverwriteOptions['part'];
  readonly name: string;
  readonly sent: Patch;
}

interface PatchContext extends WriteContext {
  readonly part: OverwriteOptions['part'];
  readonly options: PatchOptions;
}

/** Patches an object or its status. If the object changes in the meantime, the patch is applied again (PATCH-14). */
export async function patch(
  kind: KindRuntime,
  caller: RequestContext,
  { part, name, sent }: PatchRequest,
  options: PatchOptions,
): Promise<WriteResult> {
  const context = withWarningsOnce(caller);
  const namespace = kind.resource.namespaced ? context.namespace : '';
  const write: PatchContext = { kind, context, key: { namespace, name }, part, options };
  const subresource = subresourceOf(part, options);
  const attempt = () => {
    const current = kind.cache.get(namespace, name);
    if (sent.type === 'apply') {
      const applied = appliedObject(write, sent.object);
      if (current === undefined) return applyAsCreate(write, applied);
      return guardedWrite(write, current, subresource, () => applyToExisting(write, current, applied));
    }
    if (current === undefined) throw notFound(groupResourceOf(kind.resource), name);
    return guardedWrite(write, current, subresource, () => patchExisting(write, current, sent));
  };
  return retryOnConflict(kind, context, attempt, { asksFirst: options.dryRun });
}

function patchExisting(
  write: PatchContext,
  current: CachedObject,
  sent: Exclude<Patch, { type: 'apply' }>,
): Promise<WriteResult> {
  const { kind, key, part, options } = write;
  const object = patchedObject(write, current, sent, options);
  checkName(object.metadata, key.name);
  checkNamespace(kind.resource, object.metadata, key.namespace);
  checkReplacedVersion(kind, object.metadata, current);
  const subresource = subresourceOf(part, options);
  return overwrite(write, current, object, {
    part,
    subresource,
    dryRun: options.dryRun,
    isDecoded: true,
    mayDropManagedFields: true,
    track: (next, live) => trackWrite(kind, { subresource, manager: options.fieldManager }, next, live),
  });
}

/**
 * Checks the object that a client applies. Its name and namespace must be those of the request path (PATCH-16). Returns
 * a copy that contains only the members that were sent.
 */
function appliedObject({ kind, key }: PatchContext, body: unknown): KubeObject {
  if (!isJsonObject(body)) throw badRequest('error decoding patch: the body is not an object');
  if (isNestedDeeper(body, maxObjectDepth)) throw badRequest(`error decoding patch: ${tooDeepMessage}`);
  const metadata = body.metadata ?? {};
  if (!isJsonObject(metadata)) throw badRequest('error decoding patch: metadata is not an object');
  const object = { ...body, metadata: { ...metadata } } as KubeObject;
  if ((object.metadata.name ?? '') !== '') checkName(object.metadata, key.name);
  checkNamespace(kind.resource, object.metadata, key.namespace);
  return object;
}

async function applyToExisting(write: PatchContext, current: CachedObject, applied: KubeObject): Promise<WriteResult> {
  const { kind, part, options } = write;
  checkVersion(kind, applied.metadata, current);
  // The body of an apply may omit the name (SSA-02).
  applied.metadata.name = current.name;
  const subresource = subresourceOf(part, options);
  if (part === 'main') rejectOversized(kind, applied, current.record.object);
  const { merged, managedFields } = applyWrite(
    kind,
    { manager: options.fieldManager, subresource },
    { live: current.record.object, applied, force: options.force },
  );
  return overwrite(write, current, decodeApplied(kind, merged), {
    part,
    subresource,
    dryRun: options.dryRun,
    isDecoded: true,
    mayDropManagedFields: false,
    track: (next) => withOwnership(next, managedFields),
  });
}

/**
 * Handles an apply to an object that does not exist (SSA-07, PATCH-12, PATCH-18, PATCH-25). An apply to
 * its status gets 404 (STATUS-07).
 */
async function applyAsCreate(write: PatchContext, applied: KubeObject): Promise<WriteResult> {
  const { kind, context, part, options } = write;
  const { name } = write.key;
  const { uid = '' } = applied.metadata;
  const resource = groupResourceOf(kind.resource);
  if (part === 'status') throw notFound(resource, name);
  checkName(applied.metadata, name);
  await requireCreatePermission(kind, context, name);
  if (uid !== '') {
    throw conflict(
      resource,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  rejectOversized(kind, applied);
  const { merged, managedFields } = applyWrite(
    kind,
    { manager: options.fieldManager, subresource: '' },
    { applied, force: options.force },
  );
  const unmutated = decodeApplied(kind, merged);
  const mutated = await mutateNew(kind, context, unmutated, options.dryRun);
  try {
    const create = () =>
      createUnderKey(write, mutated, {
        dryRun: options.dryRun,
        mayDropManagedFields: false,
        unmutated,
        track: (next) => withOwnership(next, managedFields),
      });
    const served = await runInCreateQueue(kind, context, applied, create);
    return toWriteResult(served, true);
  } catch (error) {
    throw error instanceof NameTakenError ? new ObjectChangedError() : error;
  }
}

import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import { toWriteResult } from '../cache/served.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { mutateNew } from '../mutation.ts';
import type { WriteOptions, WriteResult } from '../verbs.ts';
import { ObjectChangedError } from '../write/commit.ts';
import { NameTakenError } from '../write/name-taken-error.ts';
import { retryOnConflict, withWarningsOnce } from '../write/retry-on-conflict.ts';
import { trackNewObject, trackWrite, withOwnership } from '../write/track-write.ts';
import { checkName, checkNamespace, checkReplacedVersion, checkUid } from './body-checks.ts';
import { createUnderKey } from './create.ts';
import { requireCreatePermission } from './create-checks.ts';
import { guardedWrite } from './guarded-write.ts';
import { type OverwriteOptions, overwrite, subresourceOf } from './overwrite.ts';
import type { WriteContext } from './verb-context.ts';

/** The parameters of an update: the sent object, and the part of the stored object that it replaces. */
export interface UpdateRequest {
  readonly part: OverwriteOptions['part'];
  readonly name: string;
  readonly sent: KubeObject;
}

/** Updates an object or its status (PUT). The request body replaces the whole object or the whole status. */
export async function update(
  kind: KindRuntime,
  caller: RequestContext,
  { part, name, sent }: UpdateRequest,
  options: WriteOptions,
): Promise<WriteResult> {
  const context = withWarningsOnce(caller);
  const namespace = kind.resource.namespaced ? context.namespace : '';
  const write: WriteContext = { kind, context, key: { namespace, name } };
  checkName(sent.metadata, name);
  checkNamespace(kind.resource, sent.metadata, namespace);
  const subresource = subresourceOf(part, options);
  const overwriteOptions: OverwriteOptions = {
    part,
    subresource,
    dryRun: options.dryRun,
    ...(options.admittedAs === undefined ? {} : { admittedAs: options.admittedAs }),
    mayDropManagedFields: true,
    track: (next, live) =>
      options.ownership === undefined
        ? trackWrite(kind, { subresource, manager: options.fieldManager }, next, live)
        : withOwnership(next, options.ownership),
  };
  const attempt = () => {
    const current = kind.cache.get(namespace, name);
    if (current === undefined) return createInstead(write, part, sent, options);
    return guardedWrite(write, current, subresource, () => {
      checkUid(kind, write.key, sent.metadata.uid ?? '', current.record.object.metadata.uid ?? '');
      checkReplacedVersion(kind, sent.metadata, current);
      return overwrite(write, current, sent, overwriteOptions);
    });
  };
  return retryOnConflict(kind, context, attempt, { asksFirst: options.dryRun });
}

/**
 * Handles an update of an object that does not exist (UPDATE-08, UPDATE-09): creates it if its kind has
 * `createOnUpdate`, otherwise throws 404. An update of the status never creates an object (STATUS-07).
 */
async function createInstead(
  write: WriteContext,
  part: OverwriteOptions['part'],
  sent: KubeObject,
  options: WriteOptions,
): Promise<WriteResult> {
  const { kind, context, key } = write;
  const { name } = key;
  if (kind.resource.createOnUpdate !== true || part === 'status') {
    throw notFound(groupResourceOf(kind.resource), name);
  }
  await requireCreatePermission(kind, context, name);
  checkUid(kind, key, sent.metadata.uid ?? '', '');
  try {
    const mutated = await mutateNew(kind, context, sent, options.dryRun);
    const served = await createUnderKey(write, mutated, {
      dryRun: options.dryRun,
      mayDropManagedFields: true,
      unmutated: sent,
      track: (next) => trackNewObject(kind, options.fieldManager, next, sent),
    });
    return toWriteResult(served, true);
  } catch (error) {
    throw error instanceof NameTakenError ? new ObjectChangedError() : error;
  }
}

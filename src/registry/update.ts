import type { KubeObject } from '../api/meta.ts';
import { groupResourceOf } from '../api/resource.ts';
import { notFound } from '../api/status.ts';
import { checkName, checkNamespace, checkReplacedVersion, checkUid } from './body-identity.ts';
import { ObjectMoved } from './commit.ts';
import type { RequestContext } from './context.ts';
import { createAt, NameTaken } from './create.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { requireCreate } from './may-create.ts';
import { type Overwrite, overwrite, subresourceOf } from './overwrite.ts';
import { written } from './served.ts';
import { trackNew, trackWrite } from './track-write.ts';
import type { WriteOptions, Written } from './verbs.ts';
import { retrying, warningOnce } from './write-loop.ts';

/** PUT of the object or of its status: the body replaces that part completely. */
export async function update(
  kind: KindRuntime,
  caller: RequestContext,
  part: Overwrite['part'],
  name: string,
  sent: KubeObject,
  options: WriteOptions,
): Promise<Written> {
  const context = warningOnce(caller);
  const namespace = kind.resource.namespaced ? context.namespace : '';
  checkName(sent.metadata, name);
  checkNamespace(kind.resource, sent.metadata, namespace);
  const subresource = subresourceOf(part, options);
  const overwriteOptions: Overwrite = {
    part,
    subresource,
    dryRun: options.dryRun,
    mayForgetOwnership: true,
    track: (next, live) => trackWrite(kind, subresource, options.fieldManager, next, live),
  };
  return retrying(kind, context, () => {
    const current = kind.cache.get(namespace, name);
    if (current === undefined) return createInstead(kind, context, part, name, sent, options);
    checkUid(kind, context, name, sent.metadata.uid ?? '', current.record.object.metadata.uid ?? '');
    checkReplacedVersion(kind, sent.metadata, current);
    return overwrite(kind, context, current, sent, overwriteOptions);
  });
}

/** UPDATE-08, UPDATE-09: a PUT creates objects of a few kinds, but never a status (STATUS-07). */
async function createInstead(
  kind: KindRuntime,
  context: RequestContext,
  part: Overwrite['part'],
  name: string,
  sent: KubeObject,
  options: WriteOptions,
): Promise<Written> {
  if (kind.resource.createOnUpdate !== true || part === 'status') {
    throw notFound(groupResourceOf(kind.resource), name);
  }
  const namespace = kind.resource.namespaced ? context.namespace : '';
  await requireCreate(kind, context, name);
  checkUid(kind, context, name, sent.metadata.uid ?? '', '');
  try {
    const served = await createAt(kind, context, { namespace, name }, sent, {
      dryRun: options.dryRun,
      mayForgetOwnership: true,
      track: (next) => trackNew(kind, options.fieldManager, next, sent),
    });
    return written(served, true);
  } catch (error) {
    throw error instanceof NameTaken ? new ObjectMoved() : error;
  }
}

import { sleepForceAnnotation } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import type { InstanceKind } from '../kinds.ts';
import { patchObject } from './objects.ts';
import type { ServerApi } from './server-api.ts';

/**
 * Wakes an instance in the project of the command, regardless of the cause of its sleep. Does not wait until the
 * instance is ready.
 */
export async function wakeInstance(
  api: ServerApi,
  kind: InstanceKind,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { project } = api.access;
  const patch = { metadata: { annotations: { [sleepForceAnnotation]: null } } };
  await patchObject(api, kind, name, { patch, project, signal });
  await sendWakeRequest(api, kind, name, signal);
}

/**
 * Sends a request that wakes an instance after auto-sleep. Ignores error responses, which are expected during wake-up.
 */
async function sendWakeRequest(api: ServerApi, kind: InstanceKind, name: string, signal: AbortSignal): Promise<void> {
  const { apiPrefix, project } = api.access;
  const path = `/${apiPrefix}/project/${encodeURIComponent(project)}/${kind.gatewaySegment}/${encodeURIComponent(name)}/version`;
  await api.text({ path, signal }).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}

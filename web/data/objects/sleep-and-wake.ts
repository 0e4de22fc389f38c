import { acceptDataLossAnnotation, sleepForceAnnotation } from '../../../src/api/naming.ts';
import { StatusError } from '../../../src/api/status.ts';
import { useHeader } from '../../../src/api/use-header.ts';
import { instanceRoot } from '../api-root.ts';
import type { InstanceType } from '../instance-types.ts';
import { sendJson } from '../send.ts';
import { patchObject } from './objects.ts';

/** The type and the key of an instance. */
export interface InstanceKey {
  readonly type: InstanceType;
  readonly project: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Puts an instance to sleep until a user wakes it. If the instance would lose its data, the server refuses the sleep
 * unless the user accepts the loss.
 */
export async function putToSleep(
  { type, namespace, name }: InstanceKey,
  { acceptsDataLoss = false } = {},
): Promise<void> {
  const annotations = {
    [sleepForceAnnotation]: 'true',
    ...(acceptsDataLoss ? { [acceptDataLossAnnotation]: 'true' } : {}),
  };
  await patchObject(type.kind, { namespace, name }, { metadata: { annotations } });
}

/**
 * Wakes an instance that was put to sleep by a user or by auto-sleep. Removes the annotation that keeps the instance
 * asleep, and sends a request to its API, which ends auto-sleep. An error response to that request is ignored, because
 * the instance may not be ready yet.
 */
export async function wakeUp(instance: InstanceKey): Promise<void> {
  const { type, namespace, name } = instance;
  await patchObject(type.kind, { namespace, name }, { metadata: { annotations: { [sleepForceAnnotation]: null } } });
  await wakeByRequest(instance).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}

/**
 * Wakes an instance by sending a request to its API. This also works for users who may use the instance but not change
 * it.
 */
export async function wakeByRequest({ type, project, name }: InstanceKey): Promise<void> {
  try {
    const url = `${instanceRoot(type.gatewaySegment, project, name)}/version`;
    await sendJson({ url, headers: { [useHeader]: '1' } });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 503) throw error;
  }
}

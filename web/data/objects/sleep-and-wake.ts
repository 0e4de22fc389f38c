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
 * Puts an instance to sleep until a user wakes it. The server refuses to put an instance to sleep that would lose its data,
 * unless the user accepts that.
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
 * Wakes an instance: removes the annotation that keeps it asleep and sends a request, which wakes it from auto-sleep.
 * The request may fail because the instance is not ready yet; such an error is ignored.
 */
export async function wakeUp(instance: InstanceKey): Promise<void> {
  const { type, namespace, name } = instance;
  await patchObject(type.kind, { namespace, name }, { metadata: { annotations: { [sleepForceAnnotation]: null } } });
  await wakeByRequest(instance).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}

/** Wakes an instance by sending a request to it. This also works for users who may use it but not change it. */
export async function wakeByRequest({ type, project, name }: InstanceKey): Promise<void> {
  try {
    const url = `${instanceRoot(type.gatewaySegment, project, name)}/version`;
    await sendJson({ url, headers: { [useHeader]: '1' } });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 503) throw error;
  }
}

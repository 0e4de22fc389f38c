import { sleepForceAnnotation } from '../../../src/api/naming.ts';
import { StatusError } from '../../../src/api/status.ts';
import { virtualClusterRoot } from '../api-root.ts';
import { kinds, type ObjectKey } from '../kind-ref.ts';
import { sendJson } from '../send.ts';
import { patchObject } from './objects.ts';

/** Puts a virtual cluster to sleep. It keeps its data and sleeps until a user wakes it. */
export async function putToSleep(place: ObjectKey): Promise<void> {
  await patchObject(kinds.instance, place, { metadata: { annotations: { [sleepForceAnnotation]: 'true' } } });
}

/**
 * Wakes a virtual cluster: removes the annotation that keeps it asleep and sends a request, which wakes it from
 * auto-sleep. The request may fail because the virtual cluster is not ready yet; such an error is ignored.
 */
export async function wakeUp(project: string, place: ObjectKey): Promise<void> {
  await patchObject(kinds.instance, place, { metadata: { annotations: { [sleepForceAnnotation]: null } } });
  await wakeByRequest(project, place.name).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}

/** Wakes a virtual cluster by sending a request to it. This also works for users who may use it but not change it. */
export async function wakeByRequest(project: string, name: string): Promise<void> {
  try {
    await sendJson({ url: `${virtualClusterRoot(project, name)}/version` });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 503) throw error;
  }
}

import { sleepForceAnnotation } from '../../../src/api/naming.ts';
import { StatusError } from '../../../src/api/status.ts';
import { virtualClusterRoot } from '../api-root.ts';
import { kinds, type ObjectKey } from '../kind-ref.ts';
import { sendJson } from '../send.ts';
import { patchObject } from './objects.ts';

/** Puts an instance to sleep. It keeps its data and sleeps until it is woken. */
export async function putToSleep(place: ObjectKey): Promise<void> {
  await patchObject(kinds.instance, place, { metadata: { annotations: { [sleepForceAnnotation]: 'true' } } });
}

/**
 * Removes a requested sleep and sends a request, which wakes an instance that auto-sleep put to sleep. An error
 * response is expected here, as the instance is not ready yet; its phase shows when it is.
 */
export async function wakeUp(project: string, place: ObjectKey): Promise<void> {
  await patchObject(kinds.instance, place, { metadata: { annotations: { [sleepForceAnnotation]: null } } });
  await wakeByRequest(project, place.name).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}

/** Wakes a virtual cluster with a request, for users who may use it but not change it. */
export async function wakeByRequest(project: string, name: string): Promise<void> {
  try {
    await sendJson({ url: `${virtualClusterRoot(project, name)}/version` });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 503) throw error;
  }
}

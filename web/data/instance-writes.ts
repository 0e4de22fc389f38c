import { sleepForceAnnotation } from '../../src/api/naming.ts';
import { StatusError } from '../../src/api/status.ts';
import { virtualClusterRoot } from './api-root.ts';
import { kinds, type ObjectPlace } from './kind-ref.ts';
import { patchObject } from './objects.ts';
import { sendJson } from './send.ts';

/** Nothing in it is lost; it sleeps until somebody wakes it. */
export async function putToSleep(place: ObjectPlace): Promise<void> {
  await patchObject(kinds.instance, place, { metadata: { annotations: { [sleepForceAnnotation]: 'true' } } });
}

/**
 * Ends a sleep that somebody asked for, and knocks: one that fell asleep because nobody used it wakes when it is used.
 * That it does not answer yet is what is to be expected; its phase tells when it is awake.
 */
export async function wakeUp(project: string, place: ObjectPlace): Promise<void> {
  await patchObject(kinds.instance, place, { metadata: { annotations: { [sleepForceAnnotation]: null } } });
  await knock(project, place.name).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}

/** For those who may use a virtual cluster and not change it. */
export async function knock(project: string, name: string): Promise<void> {
  try {
    await sendJson({ url: `${virtualClusterRoot(project, name)}/version` });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 503) throw error;
  }
}

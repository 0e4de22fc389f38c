import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import { StatusError, unauthorized } from '../../../src/api/status.ts';
import { kinds } from '../kind-ref.ts';
import { createObject } from '../objects/objects.ts';
import { sendJson } from '../send.ts';
import { session } from './session.ts';

/** The response of the session endpoint, which works for every signed-in caller, whatever their permissions are. */
interface SessionInfo {
  readonly user: string;
  readonly accessKey: string;
}

/** Returns the signed-in caller. If there is no session, marks the session as ended and throws. */
export async function readSelf(signal?: AbortSignal): Promise<SelfStatus> {
  const signals = signal === undefined ? {} : { signal };
  const info = await sendJson<SessionInfo | null>({ url: '/auth/session', ...signals });
  if (info === null) {
    session.ended();
    throw unauthorized();
  }
  try {
    return (await createObject(kinds.self, {}, signals)).status ?? {};
  } catch (error) {
    // Code 403 is not an error here, because the scope of a key may not permit reading the caller's own Self object.
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    return { subject: info.user, accessKey: info.accessKey };
  }
}

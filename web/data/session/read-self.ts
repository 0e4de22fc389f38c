import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import { StatusError, unauthorized } from '../../../src/api/status.ts';
import { kinds } from '../kind-ref.ts';
import { createObject } from '../objects/objects.ts';
import { sendJson } from '../send.ts';
import { session } from './session.ts';

/** The session endpoint's response. It works for every signed-in caller, whatever their permissions. */
interface SessionInfo {
  readonly user: string;
  readonly accessKey: string;
}

/** Returns the signed-in caller. Throws if there is no session, and marks it as ended. */
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
    // A scoped key may not be permitted to read its own Self.
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    return { subject: info.user, accessKey: info.accessKey };
  }
}

import type { SelfStatus } from '../../src/api/management/v1/self.ts';
import { StatusError, unauthorized } from '../../src/api/status.ts';
import { kinds } from './kind-ref.ts';
import { createObject } from './objects.ts';
import { sendJson } from './send.ts';
import { session } from './session.ts';

/** What the session itself says: there is one for everybody who is signed in, whatever they may ask besides. */
interface SessionTold {
  readonly user: string;
  readonly accessKey: string;
}

/** Who is signed in. Nobody: the session of this page is over, and that is thrown. */
export async function readSelf(signal?: AbortSignal): Promise<SelfStatus> {
  const signals = signal === undefined ? {} : { signal };
  const told = await sendJson<SessionTold | null>({ url: '/auth/session', ...signals });
  if (told === null) {
    session.ended();
    throw unauthorized();
  }
  try {
    return (await createObject(kinds.self, {}, signals)).status as unknown as SelfStatus;
  } catch (error) {
    // A key with a scope may work for somebody without being told all about them.
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    return { subject: told.user, accessKey: told.accessKey };
  }
}

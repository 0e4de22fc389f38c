import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import { sendRequest } from '../../../src/client/send-request.ts';
import { queryClient } from '../query-client.ts';
import { pageSender, sendJson } from '../send.ts';
import { readSelf } from './read-self.ts';
import { session } from './session.ts';
import { selfQuery } from './use-self.ts';

interface PasswordCredentials {
  readonly username: string;
  readonly password: string;
  /** The code of the second factor. */
  readonly code?: string;
  /** The setup of a new second factor that the sign-in completes. */
  readonly setup?: string;
}

export type Credentials = PasswordCredentials | { readonly accessKey: string };

/**
 * Creates a session. The server sets the session cookie, which scripts cannot read. `beforePages` is called before the
 * pages of the console are shown. Its argument is the recovery codes, if the sign-in has set up a second factor.
 */
export async function signIn(
  credentials: Credentials,
  before: SelfStatus | undefined,
  beforePages: (recoveryCodes: readonly string[]) => void | Promise<void> = () => {},
): Promise<void> {
  session.opening();
  // Does not use `send`, because `send` ends the session after a 401, and a wrong password must not end an existing
  // session.
  const response = await sendRequest(pageSender, {
    method: 'POST',
    url: '/auth/session',
    body: { type: 'application/json', text: JSON.stringify(credentials) },
  });
  const { recoveryCodes = [] } = JSON.parse(await response.text()) as { recoveryCodes?: readonly string[] };
  await beforePages(recoveryCodes);
  const self = await readSelf();
  if (before !== undefined && before.subject !== self.subject) {
    // Another user signed in, so the content and input of the previous user must not stay visible.
    location.reload();
    return;
  }
  queryClient.setQueryData(selfQuery.queryKey, self);
  session.opened(self.subject ?? '', self.accessKey ?? '');
  await queryClient.invalidateQueries();
}

/**
 * Ends the session, which signs the user out in all browser tabs. If the user's identity provider has a sign-out page,
 * the browser goes there.
 */
export async function signOut(): Promise<void> {
  location.assign((await endSession()) ?? '/');
}

/** Ends the session and keeps the page. The page continues after the next sign-in of the same user. */
export async function signOutHere(): Promise<void> {
  await endSession();
}

/** Ends the session. Returns the sign-out page of the identity provider; `undefined` if there is none. */
async function endSession(): Promise<string | undefined> {
  const { signOutUrl } = await sendJson<{ readonly signOutUrl?: string }>({ method: 'DELETE', url: '/auth/session' });
  session.ended();
  return signOutUrl;
}

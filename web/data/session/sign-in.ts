import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import { sendRequest } from '../../../src/client/send-request.ts';
import { queryClient } from '../query-client.ts';
import { pageSender, send } from '../send.ts';
import { readSelf } from './read-self.ts';
import { session } from './session.ts';
import { selfQuery } from './use-self.ts';

export type Credentials = { readonly username: string; readonly password: string } | { readonly accessKey: string };

/** Creates a session. The server sets the session cookie, which scripts cannot read. */
export async function signIn(credentials: Credentials, before: SelfStatus | undefined): Promise<void> {
  session.opening();
  // This does not use `send`, because a wrong password must not end an existing session.
  await sendRequest(pageSender, {
    method: 'POST',
    url: '/auth/session',
    body: { type: 'application/json', text: JSON.stringify(credentials) },
  });
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

/** Ends the session, which signs the user out in all browser tabs. */
export async function signOut(): Promise<void> {
  await send({ method: 'DELETE', url: '/auth/session' });
  session.ended();
  location.assign('/');
}

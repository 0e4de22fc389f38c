import type { SelfStatus } from '../../src/api/management/v1/self.ts';
import { sendRequest } from '../../src/client/send-request.ts';
import { queryClient } from './query-client.ts';
import { readSelf } from './read-self.ts';
import { pageSender, send } from './send.ts';
import { session } from './session.ts';
import { selfQuery } from './use-self.ts';

export type Credentials = { readonly username: string; readonly password: string } | { readonly accessKey: string };

/** A session for whoever these belong to: the server sets its cookie, no script sees it. */
export async function signIn(credentials: Credentials, before: SelfStatus | undefined): Promise<void> {
  session.opening();
  // Not by `send`: a wrong password is no end of a session.
  await sendRequest(pageSender, {
    method: 'POST',
    url: '/auth/session',
    body: { type: 'application/json', text: JSON.stringify(credentials) },
  });
  const self = await readSelf();
  if (before !== undefined && before.subject !== self.subject) {
    // Somebody else: nothing of what the other saw or typed may be in sight.
    location.reload();
    return;
  }
  queryClient.setQueryData(selfQuery.queryKey, self);
  session.opened(self.subject ?? '', self.accessKey ?? '');
  await queryClient.invalidateQueries();
}

/** The key that the session is made of ends, here and everywhere. */
export async function signOut(): Promise<void> {
  await send({ method: 'DELETE', url: '/auth/session' });
  session.ended();
  location.assign('/');
}

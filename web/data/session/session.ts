/**
 * The session state as known to this page. A 401 response ends the session here and, as all pages share one cookie, on
 * every other page of the browser. The page content is kept meanwhile and continues when the same user signs in again.
 */
export type SessionState = 'unknown' | 'open' | 'ended';

type Message =
  | { readonly type: 'ended' }
  | { readonly type: 'opened'; readonly subject: string; readonly login: string };

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('flotilla-session');
const listeners = new Set<() => void>();
let state: SessionState = 'unknown';
/** The subject that this page was loaded for. */
let owner: string | undefined;
/** The login that the page uses. If the cookie holds another one, the page would act as another user. */
let login: string | undefined;

function setState(next: SessionState, nextLogin = login): void {
  if (state === next && login === nextLogin) return;
  state = next;
  login = nextLogin;
  for (const listener of listeners) listener();
}

function broadcast(message: Message): void {
  channel?.postMessage(message);
}

channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.type === 'ended') setState('ended');
  // Another user signed in: they may not see the content of this page.
  else if (owner === undefined || data.subject !== owner) location.reload();
  else session.confirm(data.subject, data.login);
});

export const session = {
  get: (): SessionState => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** `undefined` while unknown; any login in the cookie is then accepted. */
  login: (): string | undefined => login,
  /** Records the caller that the server reports. */
  confirm(subject: string, loginName: string): void {
    owner = subject;
    setState('open', loginName);
  },
  /** Called before a sign-in on this page: the previous login no longer counts. */
  opening(): void {
    login = undefined;
  },
  /** Called after a sign-in on this page. */
  opened(subject: string, loginName: string): void {
    broadcast({ type: 'opened', subject, login: loginName });
    session.confirm(subject, loginName);
  },
  ended(): void {
    if (state !== 'ended') broadcast({ type: 'ended' });
    setState('ended');
  },
};

/**
 * The state of the session as this browser tab sees it. All tabs share one cookie, so a 401 response ends the session
 * in all tabs. Each tab keeps its content, and continues after the same user signs in again.
 */
export type SessionState = 'unknown' | 'open' | 'ended';

type Message =
  | { readonly type: 'ended' }
  | { readonly type: 'opened'; readonly subject: string; readonly login: string };

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('flotilla-session');
const listeners = new Set<() => void>();
let state: SessionState = 'unknown';
/** The subject for whom this page was loaded. */
let owner: string | undefined;
/**
 * The login that this page uses. The page sends its name with each request, so the server rejects the request if the
 * cookie now contains another login.
 */
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
  // Another user has signed in, who may not see the content of this page.
  else if (owner === undefined || data.subject !== owner) location.reload();
  else session.confirm(data.subject, data.login);
});

export const session = {
  get: (): SessionState => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /**
   * Returns the login of this page. If it is `undefined`, the login is unknown, and the server accepts any login in the
   * cookie.
   */
  login: (): string | undefined => login,
  /** Records the caller and the login that the server reports. */
  confirm(subject: string, loginName: string): void {
    owner = subject;
    setState('open', loginName);
  },
  /** Called before a sign-in on this page. The previous login is no longer valid. */
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

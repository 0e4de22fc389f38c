/**
 * Whether this page has a session, as far as it knows: an answer 401 ends it, here and, because the cookie is one for
 * all, in every other page of the browser. What is on the page stays as it is meanwhile, and goes on when the same
 * person is back.
 */
export type SessionState = 'unknown' | 'open' | 'ended';

type Message =
  | { readonly type: 'ended' }
  | { readonly type: 'opened'; readonly subject: string; readonly login: string };

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('flotilla-session');
const listeners = new Set<() => void>();
let state: SessionState = 'unknown';
/** Whose page this is. */
let owner: string | undefined;
/** The name of the login that the page works with: with another one in the cookie it would act as somebody else. */
let login: string | undefined;

function become(next: SessionState, nextLogin = login): void {
  if (state === next && login === nextLogin) return;
  state = next;
  login = nextLogin;
  for (const listener of listeners) listener();
}

function tell(message: Message): void {
  channel?.postMessage(message);
}

channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.type === 'ended') become('ended');
  // Somebody else's: nothing of what this page shows may be theirs to see.
  else if (owner === undefined || data.subject !== owner) location.reload();
  else session.confirm(data.subject, data.login);
});

export const session = {
  get: (): SessionState => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** undefined: not known yet, whichever the cookie is for will do. */
  login: (): string | undefined => login,
  /** The server says who asks. */
  confirm(subject: string, loginName: string): void {
    owner = subject;
    become('open', loginName);
  },
  /** Somebody signs in on this page: the login from before is none any more. */
  opening(): void {
    login = undefined;
  },
  /** Somebody has signed in on this page. */
  opened(subject: string, loginName: string): void {
    tell({ type: 'opened', subject, login: loginName });
    session.confirm(subject, loginName);
  },
  ended(): void {
    if (state !== 'ended') tell({ type: 'ended' });
    become('ended');
  },
};

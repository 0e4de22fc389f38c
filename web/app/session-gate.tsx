import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { giveFocusBack } from '../components/kept-focus.ts';
import { Waiting } from '../components/waiting.tsx';
import { session } from '../data/session.ts';
import { selfQuery } from '../data/use-self.ts';
import { SignIn } from '../pages/sign-in/sign-in.tsx';

/**
 * Nothing of the console without a session. One that ends puts the sign-in in front; what was there stays behind it,
 * with everything that was typed, and goes on when the same person is back.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const state = useSyncExternalStore(session.subscribe, session.get);
  const { data: self, error, refetch } = useQuery(selfQuery);
  const isEnded = state === 'ended';
  useEffect(() => {
    if (!isEnded) giveFocusBack();
  }, [isEnded]);
  if (self === undefined && !isEnded) {
    if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
    return <Waiting words="Asking the server who you are" />;
  }
  return (
    <>
      {isEnded ? <SignIn before={self} /> : null}
      {self === undefined ? null : (
        <div inert={isEnded} hidden={isEnded}>
          {children}
        </div>
      )}
    </>
  );
}

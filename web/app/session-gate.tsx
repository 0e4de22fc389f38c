import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { restoreFocus } from '../components/form/page-focus.ts';
import { LoadingIndicator } from '../components/loading-indicator.tsx';
import { session } from '../data/session/session.ts';
import { selfQuery } from '../data/session/use-self.ts';
import { SignIn } from '../pages/sign-in/sign-in.tsx';

/**
 * Shows its children only to a signed-in user. If the session ends, the sign-in form covers the page. The page stays
 * mounted behind the form and keeps all input. If the same user signs in again, the page continues.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const state = useSyncExternalStore(session.subscribe, session.get);
  const { data: self, error, refetch } = useQuery(selfQuery);
  const isEnded = state === 'ended';
  useEffect(() => {
    if (!isEnded) restoreFocus();
  }, [isEnded]);
  if (self === undefined && !isEnded) {
    if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
    return <LoadingIndicator message="Checking your session" />;
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

import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Notifications } from '../components/notifications.tsx';
import { queryClient } from '../data/query-client.ts';
import { styleNonce } from '../data/session/page-settings.ts';
import { ResetPassword, resetPath } from '../pages/sign-in/reset-password.tsx';
import { preloadPages, router } from './router.tsx';
import { SessionGate } from './session-gate.tsx';
import { theme } from './theme.ts';

/**
 * The delay before the other pages are preloaded. It gives the first page time to load completely, even on a slow
 * network.
 */
const preloadDelayMs = 5_000;

/**
 * The root component. Shows the pages to a signed-in user and the sign-in form to everyone else. The page of a reset
 * link is shown to everybody.
 */
export function App() {
  useEffect(() => {
    const stopped = new AbortController();
    const timer = setTimeout(() => void preloadPages(stopped.signal), preloadDelayMs);
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, []);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <QueryClientProvider client={queryClient}>
        {location.pathname === resetPath ? (
          <ResetPassword />
        ) : (
          <SessionGate>
            <RouterProvider router={router} />
          </SessionGate>
        )}
        <Notifications />
      </QueryClientProvider>
    </MantineProvider>
  );
}

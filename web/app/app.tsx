import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Notices } from '../components/notices.tsx';
import { styleNonce } from '../data/page-facts.ts';
import { queryClient } from '../data/query-client.ts';
import { preloadPages, router } from './router.tsx';
import { SessionGate } from './session-gate.tsx';
import { theme } from './theme.ts';

/** What somebody came for is there by then, also where the network is slow. */
const quietBefore = 5_000;

/** Everything there is: whoever has a session sees the pages, whoever has none signs in first. */
export function App() {
  useEffect(() => {
    const stopped = new AbortController();
    const timer = setTimeout(() => void preloadPages(stopped.signal), quietBefore);
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, []);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <QueryClientProvider client={queryClient}>
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  );
}

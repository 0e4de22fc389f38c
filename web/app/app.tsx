import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Notices } from '../components/notices.tsx';
import { styleNonce } from '../data/page-facts.ts';
import { queryClient } from '../data/query-client.ts';
import { router } from './router.tsx';
import { SessionGate } from './session-gate.tsx';
import { theme } from './theme.ts';

/** Everything there is: whoever has a session sees the pages, whoever has none signs in first. */
export function App() {
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

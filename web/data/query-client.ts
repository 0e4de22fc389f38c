import { QueryClient } from '@tanstack/react-query';
import { StatusError } from '../../src/api/status.ts';

/**
 * True if a failed request is to be repeated: it failed fewer than three times, and the server was unreachable,
 * overloaded or had an internal error.
 */
function shouldRetry(failures: number, error: unknown): boolean {
  const code = error instanceof StatusError ? error.code : 0;
  return failures < 3 && (code === 0 || code === 429 || code >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: shouldRetry, refetchOnWindowFocus: false } },
});

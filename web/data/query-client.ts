import { QueryClient } from '@tanstack/react-query';
import { StatusError } from '../../src/api/status.ts';

/**
 * True if the error may be temporary: the server was unreachable, overloaded or failed. Retries three times at most.
 */
function shouldRetry(failures: number, error: unknown): boolean {
  const code = error instanceof StatusError ? error.code : 0;
  return failures < 3 && (code === 0 || code === 429 || code >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: shouldRetry, refetchOnWindowFocus: false } },
});

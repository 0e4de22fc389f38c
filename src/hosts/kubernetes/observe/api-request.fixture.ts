import { setMaxListeners } from 'node:events';
import { StatusError } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse } from '../../host.ts';

export const neverAborted = new AbortController().signal;
setMaxListeners(0, neverAborted);

/** Returns a request of a user without special permissions. `more` overrides its members. */
export function testApiRequest(more: Partial<ApiRequest> = {}): ApiRequest {
  const as = { name: 'jane', groups: ['devs', 'system:authenticated'] };
  return { method: 'GET', path: '/api', headers: {}, as, signal: neverAborted, ...more };
}

export async function bodyText({ body }: Pick<ApiResponse, 'body'>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

export async function statusErrorOf(work: Promise<unknown>): Promise<StatusError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StatusError)) throw new Error(`expected a StatusError, but got: ${String(error)}`);
  return error;
}

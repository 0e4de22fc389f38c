import { type JsonValue, writeJson } from '@flotilla/json';
import type { StatusError } from '../../../api/status.ts';
import type { ApiResponse } from '../../host.ts';

/** Converts an error to the HTTP response that a Kubernetes API server would send. */
export function statusResponse({ status, code }: StatusError): ApiResponse {
  const body = Buffer.from(`${writeJson(status as JsonValue)}\n`);
  const { retryAfterSeconds } = status.details ?? {};
  return {
    status: code,
    headers: {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: once(body),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

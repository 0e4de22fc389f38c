import { type IncomingMessage, request } from 'node:http';
import type { Clock } from '../../../lib/clock.ts';
import type { ApiResponse, UpgradedConnection } from '../../host.ts';
import type { HttpPoolRequest } from './http-pool-request.ts';
import type { DialedSocket } from './open-socket.ts';
import { returnedHeaders } from './request-headers.ts';

export interface UpgradeRequest extends Omit<HttpPoolRequest, 'body'> {
  readonly host: string;
}

/**
 * Requests a protocol upgrade on an existing connection, which is used for nothing else. The connection is closed if
 * the signal fires or the upgrade fails.
 */
export async function upgradeConnection(
  socket: DialedSocket,
  { method, path, host, headers, signal }: UpgradeRequest,
  { clock, timeout }: { readonly clock: Clock; readonly timeout: number },
): Promise<ApiResponse | UpgradedConnection> {
  const end = () => socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
  const cancel = clock.after(timeout, () => {
    socket.destroy(Object.assign(new Error('no answer'), { code: 'UND_ERR_HEADERS_TIMEOUT' }));
  });
  try {
    return await new Promise((resolve, reject) => {
      const outgoing = request({
        method,
        path,
        headers: ['host', host, ...headers],
        createConnection: () => socket,
      });
      outgoing.once('error', reject);
      outgoing.once('upgrade', (response, _, head) => {
        if (head.length > 0) socket.unshift(head);
        const upgraded = () => resolve({ status: 101, headers: headersOf(response), socket });
        // On a busy event loop, the response is read before the write of the request is reported as complete. An HTTP/2
        // session that writes to a TLS socket at that moment aborts the process.
        if (outgoing.writableFinished) upgraded();
        else outgoing.once('finish', upgraded);
        socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
      });
      outgoing.once('response', (response) => {
        response.once('close', end);
        resolve({ status: response.statusCode ?? 0, headers: returnedHeaders(headersOf(response)), body: response });
      });
      outgoing.end();
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    cancel();
  }
}

function headersOf({ headers }: IncomingMessage): ApiResponse['headers'] {
  const present: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) present[name] = value;
  return present;
}

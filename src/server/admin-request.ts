import { isJsonObject, textAt } from '@flotilla/json';
import { Agent, type Dispatcher, request } from 'undici';
import { errorCode } from '../lib/private-file.ts';
import { StartError } from '../process/start-error.ts';
import type { AdminAccess } from './kubeconfig.ts';

export interface AdminRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The request body as JSON text. Optional. */
  readonly body?: string;
  /** The noun phrase by which error messages name the requested action, for example `the backup`. */
  readonly description: string;
}

/** Thrown if no server listens at the address in the administrator's kubeconfig. */
export class ServerUnreachableError extends StartError {}

/**
 * Sends a request with the administrator's access key to the running server. `use` reads the response body before the
 * connection is closed.
 */
export async function sendAdminRequest<T>(
  access: AdminAccess,
  { method, path, body, description }: AdminRequest,
  use: (body: Dispatcher.ResponseData['body']) => Promise<T>,
): Promise<T> {
  const { origin, authority, token } = access;
  const dispatcher = new Agent({ connect: authority === undefined ? {} : { ca: authority } });
  try {
    const response = await request(`${origin}${path}`, {
      dispatcher,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    }).catch((error: unknown) => {
      const message = `no server is running at ${origin} (${errorCode(error) ?? 'unknown error'})`;
      throw new ServerUnreachableError(message, { cause: error });
    });
    if (response.statusCode !== 200 && response.statusCode !== 201) {
      const detail = await messageIn(response.body);
      throw new StartError(
        `the server at ${origin} rejected the request for ${description}: ${explainRejection(response.statusCode, detail)}`,
      );
    }
    return await use(response.body);
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns the message of a Kubernetes Status response body; '' if the body is not a Status. */
async function messageIn(body: Dispatcher.ResponseData['body']): Promise<string> {
  const response: unknown = await body.json().catch(() => undefined);
  return isJsonObject(response) ? textAt(response, 'message') : '';
}

function explainRejection(code: number, detail: string): string {
  if (code === 401) return 'the access key of admin.kubeconfig is no longer valid';
  if (code === 403) return 'the access key of admin.kubeconfig does not belong to an administrator';
  return code === 404 && detail !== '' ? detail : `it responded with ${code}`;
}

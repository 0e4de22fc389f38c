import { Agent, type Dispatcher, request } from 'undici';
import { textAt } from '../lib/json-path.ts';
import { isJsonObject } from '../lib/json-value.ts';
import { errorCode } from '../lib/private-file.ts';
import { StartError } from '../process/start-error.ts';
import type { AdminAccess } from './kubeconfig.ts';

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  /** What is asked for, as a refusal names it: `the backup`. */
  readonly what: string;
}

/** Nobody listens where the server should be. */
export class NoServerError extends StartError {}

/** Asks the running server for what only its administrator may have; `use` reads the answer while the connection lasts. */
export async function askServer<T>(
  access: AdminAccess,
  { method, path, body, what }: Question,
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
      const message = `no server answers at ${origin} (${errorCode(error) ?? 'unknown error'})`;
      throw new NoServerError(message, { cause: error });
    });
    if (response.statusCode !== 200 && response.statusCode !== 201) {
      const told = await messageIn(response.body);
      throw new StartError(`the server at ${origin} refused ${what}: ${refusal(response.statusCode, told)}`);
    }
    return await use(response.body);
  } finally {
    await dispatcher.destroy();
  }
}

/** What the server itself says; '' where it is no Status. */
async function messageIn(body: Dispatcher.ResponseData['body']): Promise<string> {
  const answer: unknown = await body.json().catch(() => undefined);
  return isJsonObject(answer) ? textAt(answer, 'message') : '';
}

function refusal(code: number, told: string): string {
  if (code === 401) return 'the access key of admin.kubeconfig is no longer valid';
  if (code === 403) return 'the access key of admin.kubeconfig is not an administrator’s';
  return code === 404 && told !== '' ? told : `it answered ${code}`;
}

import { Agent, request } from 'undici';
import { linesOf } from '../lib/lines.ts';
import { errorCode } from '../lib/private-file.ts';
import type { AdminAccess } from './kubeconfig.ts';
import { StartError } from './start-error.ts';

/** Asks the running server for its backup, as its administrator. */
export async function askForBackup<T>(
  access: AdminAccess,
  use: (lines: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const { origin, authority, token } = access;
  const dispatcher = new Agent({ connect: authority === undefined ? {} : { ca: authority } });
  try {
    const response = await request(`${origin}/backup`, {
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
    }).catch((error: unknown) => {
      throw new StartError(`no server answers at ${origin} (${errorCode(error) ?? 'unknown error'})`, { cause: error });
    });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new StartError(`the server at ${origin} refused the backup: ${refusal(response.statusCode)}`);
    }
    return await use(linesOf(response.body));
  } finally {
    await dispatcher.destroy();
  }
}

function refusal(code: number): string {
  if (code === 401) return 'the access key of admin.kubeconfig is no longer valid';
  return code === 403 ? 'the access key of admin.kubeconfig is not an administrator’s' : `it answered ${code}`;
}

import { Agent, request } from 'undici';
import { ExpiredError, WatchLog, type WatchLogOptions } from './watch-log.ts';

/** The number of changes between two checks for expiry. Each check takes as long as a watch request. */
const changesAtOnce = 250;

/**
 * Changes an object repeatedly until the server no longer has the history since the version in `forgotten`. `url` is a
 * collection of the same kind in a second namespace. The server limits history per kind, so these changes expire the
 * history of the first namespace without appearing in its watches.
 */
export async function expireHistory(url: string, made: object, forgotten: WatchLogOptions): Promise<void> {
  const dispatcher = new Agent({ connect: { ca: forgotten.ca } });
  const send = async (method: 'POST' | 'PATCH', to: string, type: string, body: object) => {
    const headers = { authorization: `Bearer ${forgotten.token}`, 'content-type': type };
    const answer = await request(to, { method, dispatcher, headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${to}: ${answer.statusCode} ${text}`);
  };
  try {
    await send('POST', url, 'application/json', { ...made, metadata: { name: 'crowd' } });
    for (let change = 0; !(await isForgotten(forgotten)); ) {
      for (const end = change + changesAtOnce; change < end; change++) {
        await send('PATCH', `${url}/crowd`, 'application/merge-patch+json', { spec: { displayName: String(change) } });
      }
    }
  } finally {
    await dispatcher.close();
  }
}

async function isForgotten(options: WatchLogOptions): Promise<boolean> {
  try {
    await new WatchLog({ ...options, seconds: 1 }).stream();
    return false;
  } catch (error) {
    if (error instanceof ExpiredError) return true;
    throw error;
  }
}

import { Agent, request } from 'undici';
import { Expired, WatchLog, type WatchLogOptions } from './watch-log.ts';

/** Between two looks whether it is forgotten: each takes as long as a watch that is answered. */
const changesAtOnce = 250;

/**
 * Changes an object over and over until the server no longer knows what came after a version. `url` is a collection of
 * the same kind in another namespace: what a server remembers is counted by kind, and who watches here sees none of it.
 */
export async function crowdOut(url: string, made: object, forgotten: WatchLogOptions): Promise<void> {
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
    if (error instanceof Expired) return true;
    throw error;
  }
}

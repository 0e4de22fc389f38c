import type { Handler } from '../../http/exchange.ts';
import { backupLines } from '../../store/backup.ts';
import type { Store } from '../../store/store.ts';

/**
 * Lines are combined into chunks of about this many characters. Each chunk is flushed separately, so a chunk per line
 * would cause many small packets.
 */
const chunkLength = 64 * 1024;

/**
 * Handles GET `/backup`: returns a consistent snapshot of the store as lines. The last line marks the backup as
 * complete.
 */
export function backupHandler(store: Store): Handler {
  return async (exchange) => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
    body: exchange.request.method === 'HEAD' ? '' : inChunks(backupLines(store), exchange.signal),
  });
}

async function* inChunks(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of lines) {
    signal.throwIfAborted();
    chunk += `${line}\n`;
    if (chunk.length >= chunkLength) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

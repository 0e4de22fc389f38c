import { useHeader } from '../../../src/api/use-header.ts';
import { LineDecoder } from '../../components/log/log-lines.ts';
import { send, sendJson } from '../../data/send.ts';
import type { CommandApi } from './kubectl/command.ts';

/** The header that marks the requests of a command as a use of the virtual cluster, as requests of kubectl are. */
const useHeaders = { [useHeader]: '1' };

/** Sends the requests of commands. */
export const commandApi: CommandApi = {
  json: (request) => sendJson({ ...request, headers: useHeaders }),
  async *lines(request) {
    const response = await send({ method: 'GET', ...request, headers: useHeaders });
    if (response.body === null) return;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new LineDecoder(Number.POSITIVE_INFINITY);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        yield* done ? decoder.end() : decoder.decode(value);
        if (done) return;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  },
};

/** Sends the requests of completion. They only read, and they do not keep the virtual cluster awake. */
export const completionApi: CommandApi = { ...commandApi, json: sendJson };

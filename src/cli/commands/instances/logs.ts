import type { CommandRun } from '../../command-spec.ts';
import { objectPath } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { virtualClusters } from '../../kinds.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const { values, interrupted: signal, terminal } = call;
    const since = values.text('since');
    const chunks = api.bytes({
      path: objectPath(api, virtualClusters, { project: api.access.project }, values.argument('name'), 'log'),
      accept: '*/*',
      query: {
        follow: values.flag('follow') ? 'true' : undefined,
        tailLines: values.text('tail'),
        sinceSeconds: since === undefined ? undefined : String(parseDuration(since, 'since')),
      },
      signal,
    });
    const decoder = new TextDecoder();
    for await (const chunk of chunks) terminal.print(decoder.decode(chunk, { stream: true }));
    return undefined;
  });

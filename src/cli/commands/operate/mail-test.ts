import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { mailEndpoint, requestEndpoint } from '../../endpoints.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const { values, terminal, interrupted: signal } = call;
    const to = values.argument('address');
    const { body } = await requestEndpoint(api, mailEndpoint, { method: 'POST', body: { to }, signal });
    terminal.print(`the mail server ${body.server ?? ''} has accepted a test mail to ${to}\n`);
    return undefined;
  });

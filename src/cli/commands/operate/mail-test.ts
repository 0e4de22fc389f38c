import { textAt } from '@flotilla/json';
import { mailPath } from '../../../api/mail/mail-status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const { values, terminal, interrupted: signal } = call;
    const to = values.argument('address');
    const status = await api.json({ method: 'POST', path: mailPath, body: { to }, signal });
    terminal.print(`the mail server ${textAt(status, 'server')} has accepted a test mail to ${to}\n`);
    return undefined;
  });

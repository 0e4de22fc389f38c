import { auditExportPath } from '../../../api/audit/audit-event.ts';
import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { auditQueryOf } from './audit-query-of.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = values.text('format') ?? 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') throw usageError('--format must be jsonl or csv');
  const query = {
    ...auditQueryOf(values, Date.now(), { since: 'from', until: 'to' }),
    format,
    allowIncomplete: values.flag('allow-incomplete') ? 'true' : undefined,
  };
  return await withServer(call, async (api) => {
    const decoder = new TextDecoder();
    for await (const chunk of api.bytes({ path: auditExportPath, query, accept: '*/*', signal })) {
      terminal.print(decoder.decode(chunk, { stream: true }));
    }
    return undefined;
  });
};

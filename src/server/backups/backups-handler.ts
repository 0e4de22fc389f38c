import { type BackupStatus, backupStatusKind, backupsApiVersion } from '../../api/backups/backup-status.ts';
import type { Handler } from '../../http/exchange.ts';
import { negotiate } from '../../http/negotiate/negotiate.ts';
import { renderReply } from '../../http/negotiate/render.ts';
import type { ScheduledBackups } from './scheduled-backups.ts';

const notScheduled: BackupStatus = { kind: backupStatusKind, apiVersion: backupsApiVersion, items: [] };

/** GET `/backups`: the state of scheduled backups. `scheduled` is absent if the settings contain no schedule. */
export function backupsHandler(scheduled: Pick<ScheduledBackups, 'status'> | undefined): Handler {
  return async ({ request, query, signal }) => {
    const form = negotiate(request, query, { formats: ['json'] });
    const reply = renderReply(JSON.stringify((await scheduled?.status(signal)) ?? notScheduled), 200, form);
    reply.headers['cache-control'] = 'no-store';
    return reply;
  };
}

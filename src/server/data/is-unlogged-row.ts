import { workMarksSlice } from '../../builtin/work-marks.ts';
import { isUnloggedKey } from '../../registry/rows/rows.ts';
import type { Key } from '../../store/key.ts';
import { activityRecordsSlice } from '../activity/activity-rows.ts';
import { loginsSlice } from '../auth/stored-login-backoff.ts';
import { credentialUsesSlice } from '../credential-uses.ts';
import { mailRowsSlice } from '../mail/mail-rows.ts';
import { notificationStatesSlice } from '../notifications/notification-states.ts';
import { activitySlice } from '../shared-activity.ts';
import { usageSlice } from '../usage/usage-rows.ts';
import { webhookQueueSlice } from '../webhooks/webhook-queue-rows.ts';

const unloggedSlices: ReadonlySet<string> = new Set([
  activityRecordsSlice,
  activitySlice,
  credentialUsesSlice,
  loginsSlice,
  mailRowsSlice,
  notificationStatesSlice,
  usageSlice,
  webhookQueueSlice,
  workMarksSlice,
]);

/**
 * True if the servers write this row with unlogged writes. Only the store on etcd distinguishes such rows, so this
 * function is needed when rows are copied from another store to etcd.
 */
export function isUnloggedRow(key: Key): boolean {
  return unloggedSlices.has(key.slice) || isUnloggedKey(key);
}

import { type AccessKey, accessKeyKind, clientAccessKeyTypes } from '../../api/management/v1/access-key.ts';
import { disabledReasonAnnotation } from '../../api/naming.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Log } from '../../lib/log.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { Store } from '../../store/store.ts';
import { readRestoreMark, removeRestoreMark } from './restore-mark.ts';

export interface RestoredAccessOptions {
  readonly store: Store;
  readonly kinds: KindStores;
  readonly signingKeys: Pick<SigningKeys, 'rotate'>;
  readonly log: Log;
}

/** The maximum number of names in the log. `flotilla access-key list --all` lists all keys. */
const maxLoggedNames = 100;

/**
 * Ends the access that a restored backup contains, at the first start after the restore, because somebody may have
 * revoked this access after the backup was made. Deletes logins, revokes all tokens, and disables access keys unless
 * the restore trusts them. If the server stops before the end, the next start repeats this.
 */
export async function endRestoredAccess({ store, kinds, signingKeys, log }: RestoredAccessOptions): Promise<void> {
  const mark = await readRestoreMark(store);
  if (mark === undefined) return;
  const backup = mark.backupTime === '' ? 'a backup' : `a backup of ${mark.backupTime}`;
  const keys = storeOf(kinds, accessKeyKind);
  const all = keys.peekAll().map(({ object }) => object);
  const logins = all.filter((key) => !isClientKey(key));
  const enabled = all.filter((key) => isClientKey(key) && key.spec?.disabled !== true);
  const disabled = mark.trustsKeys ? [] : enabled;
  await signingKeys.rotate({ revoke: true });
  const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {} };
  for (const { metadata } of logins) await keys.verbs.delete(systemContext(''), metadata.name ?? '', how);
  const reason = `restored from ${backup}; enable the key if it was not revoked after the backup`;
  const patch = { metadata: { annotations: { [disabledReasonAnnotation]: reason } }, spec: { disabled: true } };
  for (const { metadata } of disabled) {
    await keys.verbs.patch(
      systemContext(''),
      metadata.name ?? '',
      { type: 'merge', document: patch, findings: [] },
      { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false },
    );
  }
  await removeRestoreMark(store);
  const advice = mark.trustsKeys
    ? 'still enabled; disable those that were revoked after the backup'
    : 'disabled; get access with "flotilla admin-key", and enable the keys that were not revoked after the backup with "flotilla access-key enable --all"';
  log.warn(
    { logins: logins.length, disabledKeys: disabled.length, names: enabled.slice(0, maxLoggedNames).map(describeKey) },
    `this installation was restored from ${backup}: all logins and tokens have ended, and its access keys are ${advice}`,
  );
}

/** False for logins and other keys that only the server creates. */
function isClientKey({ spec }: AccessKey): boolean {
  return clientAccessKeyTypes.some((type) => type === (spec?.type ?? 'User'));
}

function describeKey({ metadata, spec, status }: AccessKey): string {
  const owner = spec?.user ?? spec?.team ?? spec?.subject ?? '';
  const used = status?.lastActivity === undefined ? 'never used' : `last used ${status.lastActivity}`;
  return `${metadata.name} (${owner}, created ${metadata.creationTimestamp}, ${used})`;
}

import { isExpiring, isUnused } from '../../../api/management/access-key-expiry.ts';
import type { CommandRun } from '../../command-spec.ts';
import { typedResponse } from '../../connection/objects.ts';
import { accessKeys, ownedAccessKeys } from '../../kinds.ts';
import { listCommand } from '../objects/object-list.ts';

/**
 * Lists access keys. With `--expiring` or `--unused`, lists only the keys that match at least one of the given options.
 * The access keys of logins never match these options.
 */
export const run: CommandRun = async (call) => {
  const { values } = call;
  const kind = values.flag('all') ? accessKeys : ownedAccessKeys;
  const [isExpiringAsked, isUnusedAsked] = [values.flag('expiring'), values.flag('unused')];
  if (!isExpiringAsked && !isUnusedAsked) return await listCommand(kind)(call);
  const now = Date.now();
  return await listCommand(kind, (object) => {
    const key = typedResponse(kind, object);
    if (key.spec?.type === 'Login') return false;
    return (isExpiringAsked && isExpiring(key, now)) || (isUnusedAsked && isUnused(key, now));
  })(call);
};

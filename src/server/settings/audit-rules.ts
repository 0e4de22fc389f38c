import type { AuditRule } from '../../audit/audit-policy.ts';
import { StartError } from '../../process/start-error.ts';
import type { SettingsReader } from './settings-reader.ts';

const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;

/** Reads one rule of `audit.rules` from the configuration file. */
export function readAuditRule(entry: SettingsReader): AuditRule {
  const level = entry.choice('level', levels);
  if (level === undefined) throw new StartError('every rule under "audit.rules" needs a "level"');
  const resources = entry.groups('resources')?.map((each) => {
    const names = each.texts('resources');
    const target = { group: each.text('group') ?? '', ...(names === undefined ? {} : { resources: names }) };
    each.finish();
    return target;
  });
  return {
    level,
    ...given('verbs', entry.texts('verbs')),
    ...given('users', entry.texts('users')),
    ...given('userGroups', entry.texts('userGroups')),
    ...given('namespaces', entry.texts('namespaces')),
    ...given('resources', resources),
    ...given('nonResourceURLs', entry.texts('nonResourceURLs')),
    ...given('outcome', entry.choice('outcome', ['refused'])),
  };
}

function given<Name extends keyof AuditRule>(name: Name, value: AuditRule[Name] | undefined): Partial<AuditRule> {
  return value === undefined ? {} : { [name]: value };
}

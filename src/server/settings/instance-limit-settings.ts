import { defaultManagementSettings } from '../../management/settings.ts';
import { integerSetting } from './setting-group.ts';

/** The settings that limit the virtual cluster instances, or the spaces, of projects without quotas. */
export function instanceLimitSettings(group: 'instances' | 'spaces') {
  const defaults = defaultManagementSettings[group];
  return {
    perProject: integerSetting({
      least: 0,
      default: defaults.perProject,
      meaning: `maximum number of ${group} of a project that sets no \`quotas.project\`; a create beyond it gets 403; unscoped keys of admins are exempt; 0: no limit`,
    }),
    perUser: integerSetting({
      least: 0,
      default: defaults.perUser,
      meaning: `maximum number of ${group} that a user or a team owns in a project that sets no \`quotas.user\`; a create beyond it gets 403; unscoped keys of admins are exempt; 0: no limit`,
    }),
    bytesPerProject: integerSetting({
      least: 0,
      default: defaults.bytesPerProject,
      meaning: `maximum size of all ${group} of a project with their inline templates and rendered templates, in bytes of JSON; a write that adds to it gets 403; unscoped keys of admins are exempt; 0: no limit`,
    }),
  };
}

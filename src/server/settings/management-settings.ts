import type { ConfiguredManagementSettings, ManagementSettings } from '../../management/settings.ts';
import { StartError } from '../../process/start-error.ts';
import { fileSettings } from './file-settings.ts';
import { readGroup } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

/**
 * Reads the settings of the management API: `accessKeys`, `instances`, `spaces`, `projects`, `charts`,
 * `hosts`, `webhooks`, `directTokens`, `gateway`. `auth` was read before, because other parts of the server use it too.
 */
export function readManagementSettings(
  file: SettingsReader,
  auth: ManagementSettings['auth'],
): ConfiguredManagementSettings {
  const settings: ConfiguredManagementSettings = {
    auth: { freshLoginSeconds: auth.freshLoginSeconds, password: { enabled: auth.password?.enabled !== false } },
    accessKeys: readGroup(file, 'accessKeys', fileSettings.accessKeys),
    instances: readGroup(file, 'instances', fileSettings.instances),
    spaces: readGroup(file, 'spaces', fileSettings.spaces),
    projects: readGroup(file, 'projects', fileSettings.projects),
    charts: readGroup(file, 'charts', fileSettings.charts),
    hosts: readGroup(file, 'hosts', fileSettings.hosts),
    webhooks: readGroup(file, 'webhooks', fileSettings.webhooks),
    directTokens: readGroup(file, 'directTokens', fileSettings.directTokens),
    gateway: readGroup(file, 'gateway', fileSettings.gateway),
  };
  if (settings.directTokens.defaultTTL > settings.directTokens.maxTTL) {
    throw new StartError('"directTokens.defaultTTL" exceeds "directTokens.maxTTL"');
  }
  if (settings.gateway.defaultTokenTTL > settings.gateway.maxTokenTTL) {
    throw new StartError('"gateway.defaultTokenTTL" exceeds "gateway.maxTokenTTL"');
  }
  return settings;
}

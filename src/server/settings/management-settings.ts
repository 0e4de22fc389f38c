import type { ManagementSettings } from '../../management/settings.ts';
import { StartError } from '../../process/start-error.ts';
import { fileSettings } from './file-settings.ts';
import { readGroup } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

/** Reads the settings of the management API: `accessKeys`, `instances`, `projects`, `charts`, `directTokens`, `gateway`. */
export function readManagementSettings(file: SettingsReader): ManagementSettings {
  const settings: ManagementSettings = {
    accessKeys: readGroup(file, 'accessKeys', fileSettings.accessKeys),
    instances: readGroup(file, 'instances', fileSettings.instances),
    projects: readGroup(file, 'projects', fileSettings.projects),
    charts: readGroup(file, 'charts', fileSettings.charts),
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

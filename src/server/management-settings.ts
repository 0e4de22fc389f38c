import { defaultSettings, type ManagementSettings } from '../management/settings.ts';
import type { SettingsReader } from './settings-reader.ts';
import { StartError } from './start-error.ts';

/** The settings of the management API: `accessKeys`, `projects`, `charts`, `directTokens`. */
export function readManagementSettings(file: SettingsReader): ManagementSettings {
  const settings: ManagementSettings = {
    accessKeys: read(file.group('accessKeys'), (group) => ({
      maxTTL: group.integer('maxTTL', 0) ?? defaultSettings.accessKeys.maxTTL,
      perUser: group.integer('perUser', 1) ?? defaultSettings.accessKeys.perUser,
    })),
    projects: read(file.group('projects'), (group) => ({
      selfService: group.flag('selfService') ?? defaultSettings.projects.selfService,
    })),
    charts: read(file.group('charts'), (group) => ({
      allowed: group.groups('allowed')?.map((each) => read(each, readChart)) ?? defaultSettings.charts.allowed,
    })),
    directTokens: read(file.group('directTokens'), (group) => ({
      defaultTTL: group.integer('defaultTTL', 1) ?? defaultSettings.directTokens.defaultTTL,
      maxTTL: group.integer('maxTTL', 1) ?? defaultSettings.directTokens.maxTTL,
    })),
  };
  if (settings.directTokens.defaultTTL > settings.directTokens.maxTTL) {
    throw new StartError('"directTokens.defaultTTL" is above "directTokens.maxTTL"');
  }
  return settings;
}

function readChart(group: SettingsReader): { name: string; repo: string } {
  const name = group.text('name');
  const repo = group.text('repo');
  if (name === undefined || repo === undefined) {
    throw new StartError('every entry of "charts.allowed" needs a "name" and a "repo"');
  }
  return { name, repo };
}

function read<T>(group: SettingsReader, make: (group: SettingsReader) => T): T {
  const value = make(group);
  group.finish();
  return value;
}

import type { Catalogue } from '../build-program.ts';
import { accessCommands, accessGroups } from './access-commands.ts';
import { auditCommands } from './audit-commands.ts';
import { spaceCommands, spaceGroups } from './instances/space-commands.ts';
import { virtualClusterCommands } from './instances/virtual-cluster-commands.ts';
import { loginCommands, loginGroups } from './login-commands.ts';
import { objectCommands, objectGroups } from './object-commands.ts';
import { sealCommands, sealGroups } from './seal-commands.ts';
import { serverCommands } from './server-commands.ts';
import { toolCommands } from './tool-commands.ts';
import { usageCommand } from './usage-command.ts';

/** All commands, in the order in which the help and the docs list them. */
export async function loadCatalogue(): Promise<Catalogue> {
  const sections = [
    { title: 'Virtual clusters', commands: virtualClusterCommands, groups: [] },
    { title: 'Spaces', commands: spaceCommands, groups: spaceGroups },
    { title: 'Logins', commands: loginCommands, groups: loginGroups },
    { title: 'Access keys, tokens and permissions', commands: accessCommands, groups: accessGroups },
    { title: 'Projects, clusters, templates and users', commands: objectCommands, groups: objectGroups },
    { title: 'Usage and costs', commands: [usageCommand], groups: [] },
    { title: 'Activity and audit log', commands: auditCommands, groups: [] },
    { title: 'Tools', commands: toolCommands, groups: [] },
    { title: 'Server', commands: [...(await serverCommands()), ...sealCommands], groups: sealGroups },
  ];
  return {
    sections,
    commands: sections.flatMap(({ commands }) => commands),
    groups: sections.flatMap(({ groups }) => groups),
  };
}

import type { Catalogue } from '../build-program.ts';
import { accessCommands, accessGroups } from './access-commands.ts';
import { loginCommands, loginGroups } from './login-commands.ts';
import { objectCommands, objectGroups } from './object-commands.ts';
import { serverCommands } from './server-commands.ts';
import { toolCommands } from './tool-commands.ts';
import { virtualClusterCommands } from './virtual-cluster-commands.ts';

/** All commands, in the order in which the help and the docs list them. */
export async function loadCatalogue(): Promise<Catalogue> {
  const sections = [
    { title: 'Virtual clusters', commands: virtualClusterCommands, groups: [] },
    { title: 'Logins', commands: loginCommands, groups: loginGroups },
    { title: 'Access keys and tokens', commands: accessCommands, groups: accessGroups },
    { title: 'Projects, clusters, templates and users', commands: objectCommands, groups: objectGroups },
    { title: 'Tools', commands: toolCommands, groups: [] },
    { title: 'Server', commands: await serverCommands(), groups: [] },
  ];
  return {
    sections,
    commands: sections.flatMap(({ commands }) => commands),
    groups: sections.flatMap(({ groups }) => groups),
  };
}

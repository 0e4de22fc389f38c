import type { Catalogue } from '../build-program.ts';
import { accessCommands, accessGroups } from './access-commands.ts';
import { loginCommands, loginGroups } from './login-commands.ts';
import { objectCommands, objectGroups } from './object-commands.ts';
import { serverCommands } from './server-commands.ts';
import { toolCommands } from './tool-commands.ts';
import { virtualClusterCommands } from './virtual-cluster-commands.ts';

/** Every command there is, in the order in which help and docs show them. */
export async function loadCatalogue(): Promise<Catalogue> {
  const sections = [
    { title: 'Virtual clusters', commands: virtualClusterCommands, groups: [] },
    { title: 'Logins', commands: loginCommands, groups: loginGroups },
    { title: 'Keys and tokens', commands: accessCommands, groups: accessGroups },
    { title: 'What virtual clusters need', commands: objectCommands, groups: objectGroups },
    { title: 'Tools', commands: toolCommands, groups: [] },
    { title: 'The server', commands: await serverCommands(), groups: [] },
  ];
  return {
    sections,
    commands: sections.flatMap(({ commands }) => commands),
    groups: sections.flatMap(({ groups }) => groups),
  };
}

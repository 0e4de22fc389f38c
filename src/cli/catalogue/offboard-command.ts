import type { CommandSpec } from '../command-spec.ts';
import { contextOption, outputOption } from './shared-options.ts';

/** The command that ends all access of a user. */
export const offboardCommand: CommandSpec = {
  path: 'user offboard',
  summary: 'End all access of a user who leaves, and delete the user',
  details:
    'Disables the user, deletes all logins and access keys that the user holds or created, gives everything that the ' +
    'user owns to another user, removes the user from projects, teams and shared objects, and deletes the user. ' +
    'Tokens and service account credentials of the user become invalid. Virtual clusters on connected clusters do not ' +
    'record who creates service account tokens, so these tokens are listed and kept, unless --revoke-unattributed is set. ' +
    'The command can be repeated.',
  args: [{ name: '<name>', description: 'Name of the user', candidates: 'user' }],
  options: [
    contextOption,
    {
      flags: '--transfer-to <name>',
      description: 'User who becomes the owner; required if the user owns anything',
      candidates: 'user',
    },
    { flags: '--keep-user', description: 'Keep the user, disabled, instead of deleting it' },
    {
      flags: '--revoke-unattributed',
      description:
        'Revoke all service account tokens in virtual clusters that the user may use and whose tokens do not name their creator',
    },
    { flags: '--dry-run', description: 'List everything that the user holds without making changes' },
    outputOption,
  ],
  examples: [
    { command: 'flotilla user offboard anna --dry-run', does: 'List everything that a user holds' },
    {
      command: 'flotilla user offboard anna --transfer-to bob',
      does: 'Give the virtual clusters of a user to another user, and end all access of the user',
    },
  ],
  load: () => import('../commands/access/user-offboard.ts'),
};

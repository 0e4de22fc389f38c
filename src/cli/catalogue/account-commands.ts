import type { CommandSpec } from '../command-spec.ts';
import { contextOption } from './shared-options.ts';

const nameArgument = { name: '<name>', description: 'Name of the user', candidates: 'user' } as const;

/** The commands with which administrators help users who cannot log in with their password. */
export const accountCommands: readonly CommandSpec[] = [
  {
    path: 'user reset-password',
    summary: 'Create a link with which a user sets a new password',
    details:
      'Prints the link. Send it to the user over a channel that only the user reads: anybody who has the link can set ' +
      'the password. The link works once. It becomes invalid when a newer link is created or the password is changed. ' +
      'The old password stays valid until the user sets the new one; then all logins of the user end.',
    args: [nameArgument],
    options: [
      contextOption,
      { flags: '--ttl <duration>', description: 'Lifetime of the link, from 1m to 7d (default: 24h)' },
    ],
    examples: [
      { command: 'flotilla user reset-password anna', does: 'Create a link that is valid for a day' },
      { command: 'flotilla user reset-password anna --ttl 1h', does: 'Create a link that is valid for an hour' },
    ],
    load: () => import('../commands/access/user-reset-password.ts'),
  },
  {
    path: 'user remove-second-factor',
    summary: 'Remove the second factor of a user who lost it',
    details:
      'The user then logs in with the password alone, and can set up a new second factor. If the server requires one, ' +
      'the next login sets it up. Make sure that the request comes from the user.',
    args: [nameArgument],
    options: [contextOption],
    examples: [
      { command: 'flotilla user remove-second-factor anna', does: 'Let a user log in without the lost phone' },
    ],
    load: () => import('../commands/access/user-remove-second-factor.ts'),
  },
];

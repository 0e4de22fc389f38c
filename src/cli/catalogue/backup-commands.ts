import type { CommandSpec } from '../command-spec.ts';
import { contextOption, outputOption } from './shared-options.ts';

/** The commands below `flotilla backup`. */
export const backupCommands: readonly CommandSpec[] = [
  {
    path: 'backup verify',
    summary: 'Check that a backup file is complete and intact, without a server',
    details:
      'The command reads the whole file, checks its checksums, decodes every row that is not encrypted, and counts the rows. If ' +
      'the file is damaged, the exit code is 1 and the message names the line.',
    args: [{ name: '<file>', description: 'File that flotilla backup or a server created', candidates: 'file' }],
    options: [
      {
        flags: '--passphrase-file <file>',
        description: 'File with the passphrase of a backup that includes keys, to check that it decrypts them',
        candidates: 'file',
      },
      {
        flags: '--seal-key-file <file>',
        description: 'Seal key, to check that it belongs to the backup',
        candidates: 'file',
      },
    ],
    examples: [
      { command: 'flotilla backup verify today.flotilla', does: 'Check a file, and show what it contains' },
      {
        command: 'flotilla backup verify today.flotilla --seal-key-file /safe/place/seal.key',
        does: 'Also check that the seal key can decrypt it',
      },
    ],
    load: () => import('../commands/operate/backup-verify.ts'),
  },
  {
    path: 'backup status',
    summary: 'Show the schedule of backups, the last success and the last failure',
    details: 'Only administrators can use it. The setting backup.schedule enables scheduled backups.',
    options: [contextOption, outputOption],
    examples: [{ command: 'flotilla backup status', does: 'Show when the last backup was made' }],
    load: () => import('../commands/operate/backup-status.ts'),
  },
  {
    path: 'backup list',
    summary: 'List the backups at the destination of scheduled backups',
    details: 'Only administrators can use it.',
    options: [contextOption, outputOption],
    examples: [{ command: 'flotilla backup list', does: 'Show the names, times and sizes, the newest first' }],
    load: () => import('../commands/operate/backup-list.ts'),
  },
];

import type { CommandSpec, GroupSpec } from '../command-spec.ts';
import { outputOption } from './shared-options.ts';

export const sealGroups: readonly GroupSpec[] = [{ path: 'seal', summary: 'Manage the encryption of stored data' }];

export const sealCommands: readonly CommandSpec[] = [
  {
    path: 'seal status',
    summary: 'Show which keys encrypt the store, and the progress of a rotation',
    details:
      'Only administrators can use it. "Needed keys" are the seal keys, or keys of the KMS, without which the server cannot ' +
      'open the store. You can remove an old key from the seal key file when it is not among them and no rewrite is in ' +
      'progress.',
    options: [outputOption],
    examples: [{ command: 'flotilla seal status', does: 'Show the keys and the progress' }],
    load: () => import('../commands/operate/seal-status.ts'),
  },
  {
    path: 'seal rotate',
    summary: 'Replace the keys that encrypt the store, while the servers run',
    details:
      'Only administrators can use it. The server encrypts the keys of the store with the first key of the seal key file, or ' +
      'with the current key of the KMS. With encryption.rows: all, it also creates a new data key, and the leader writes ' +
      'all rows again in the background. The rewrite continues after a restart.',
    options: [{ flags: '--wait', description: 'Wait until all rows are written' }, outputOption],
    examples: [
      { command: 'flotilla seal rotate --wait', does: 'Rotate the keys, and wait until no row needs the old ones' },
    ],
    load: () => import('../commands/operate/seal-rotate.ts'),
  },
];

import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { backupCommands } from './backup-commands.ts';
import { dataDirOption } from './shared-options.ts';

/** Returns the commands that use the data of a server: its data directory, or its store on etcd. */
export function storeCommands(etcdOptions: readonly OptionSpec[]): readonly CommandSpec[] {
  return [
    backupCommand(etcdOptions),
    ...backupCommands,
    restoreCommand(etcdOptions),
    migrateCommand(etcdOptions),
    rotateCommand,
    adminKeyCommand,
    mailTestCommand,
  ];
}

const mailTestCommand: CommandSpec = {
  path: 'mail-test',
  summary: 'Send a test mail with the mail server of the settings',
  details: 'Only administrators can use it. The server that answers the request sends the mail at once.',
  args: [{ name: '<address>', description: 'Address that receives the mail' }],
  examples: [{ command: 'flotilla mail-test anna@example.com', does: 'Check that the mail server accepts mails' }],
  load: () => import('../commands/operate/mail-test.ts'),
};

function backupCommand(etcdOptions: readonly OptionSpec[]): CommandSpec {
  return {
    path: 'backup',
    summary: 'Back up the store, and optionally the keys, to a new file, also while the server runs',
    args: [{ name: '<file>', description: 'Backup file to create; it must not exist', candidates: 'file' }],
    options: [
      dataDirOption,
      {
        flags: '--include-keys',
        description:
          'Include the seal key, the CA and the signing keys of the data directory, encrypted with a passphrase',
      },
      {
        flags: '--passphrase-file <file>',
        description: 'File with the passphrase for --include-keys, at least 12 characters',
        candidates: 'file',
      },
      { flags: '--store <addresses>', description: 'Addresses of etcd, to back up a store on etcd without a server' },
      ...etcdOptions,
    ],
    examples: [
      { command: 'flotilla backup today.flotilla', does: 'Write a consistent snapshot of the store with a checksum' },
      {
        command: 'flotilla backup today.flotilla --include-keys --passphrase-file /safe/place/passphrase',
        does: 'Write a backup that can be restored without other files',
      },
    ],
    load: () => import('../commands/operate/backup.ts'),
  };
}

function restoreCommand(etcdOptions: readonly OptionSpec[]): CommandSpec {
  return {
    path: 'restore',
    summary: 'Create a data directory, or a store on etcd, from a backup',
    args: [{ name: '<file>', description: 'File that flotilla backup created', candidates: 'file' }],
    options: [
      {
        flags: '--data-dir <directory>',
        description: 'Data directory to create; it must be empty or must not exist',
        candidates: 'file',
      },
      {
        flags: '--seal-key-file <file>',
        description: 'Seal key of the installation that was backed up; copied to seal.key of the data directory',
        candidates: 'file',
      },
      {
        flags: '--passphrase-file <file>',
        description: 'File with the passphrase of a backup that includes keys',
        candidates: 'file',
      },
      {
        flags: '--trust-keys',
        description: 'Keep the access keys in the backup enabled, also those that were revoked after it was made',
      },
      {
        flags: '--store <addresses>',
        description: 'Addresses of etcd, to restore to etcd instead of a data directory; the prefix must be empty',
      },
      ...etcdOptions,
    ],
    examples: [
      {
        command: 'flotilla restore today.flotilla --data-dir /var/lib/flotilla --seal-key-file /safe/place/seal.key',
        does: 'Restore all data, including secrets',
      },
      {
        command: 'flotilla restore today.flotilla --store https://etcd-1:2379 --etcd-prefix restored',
        does: 'Restore all data to etcd',
      },
    ],
    load: () => import('../commands/operate/restore.ts'),
  };
}

function migrateCommand(etcdOptions: readonly OptionSpec[]): CommandSpec {
  return {
    path: 'migrate',
    summary: 'Copy an installation from a data directory to etcd, or back, while no server runs',
    details:
      'The identity of the installation, its objects and its secrets stay the same, and revisions grow. The command ' +
      'compares the copy with the original. If it fails, the original is unchanged and the copy is removed.',
    options: [
      { flags: '--from <store>', description: 'Store to copy: embedded, or the addresses of etcd', required: true },
      { flags: '--to <store>', description: 'Store to create: embedded, or the addresses of etcd', required: true },
      dataDirOption,
      ...etcdOptions,
    ],
    examples: [
      {
        command: 'flotilla migrate --from embedded --to https://etcd-1:2379,https://etcd-2:2379',
        does: 'Copy the store of .flotilla to etcd',
      },
      {
        command: 'flotilla migrate --from https://etcd-1:2379 --to embedded --data-dir /var/lib/flotilla',
        does: 'Copy the store on etcd to a new data directory',
      },
    ],
    load: () => import('../commands/operate/migrate.ts'),
  };
}

const adminKeyCommand: CommandSpec = {
  path: 'admin-key',
  summary: 'Request a new access key of the administrator, if the current one is lost or disabled, or print it',
  details:
    'The command needs write access to the data directory. The next start of the server creates the key, writes it to ' +
    'admin.key and admin.kubeconfig, and records it in the audit log. With --print the command requests no key, and ' +
    'prints the current one.',
  options: [
    dataDirOption,
    {
      flags: '--print <what>',
      description: 'Print the current credentials of the administrator: key or kubeconfig',
      candidates: ['key', 'kubeconfig'],
    },
    {
      flags: '--server <url>',
      description: 'Address of the server in the printed kubeconfig, for example that of a forwarded port',
    },
  ],
  examples: [
    {
      command: 'flotilla admin-key --data-dir /var/lib/flotilla',
      does: 'Request a key; then start or restart the server',
    },
    {
      command: 'flotilla admin-key --data-dir /data --print kubeconfig --server https://127.0.0.1:8443',
      does: 'Print the kubeconfig, for example in a container without a shell',
    },
  ],
  load: () => import('../commands/operate/admin-key.ts'),
};

const rotateCommand: CommandSpec = {
  path: 'rotate-signing-key',
  summary: 'Sign tokens with a new key from now on, also while the server runs',
  options: [
    dataDirOption,
    {
      flags: '--revoke',
      description: 'Revoke the tokens of all older keys immediately, for a key that may have leaked',
    },
  ],
  examples: [
    { command: 'flotilla rotate-signing-key', does: 'Older tokens stay valid until they expire' },
    { command: 'flotilla rotate-signing-key --revoke', does: 'Older tokens become invalid immediately' },
  ],
  load: () => import('../commands/operate/rotate-signing-key.ts'),
};

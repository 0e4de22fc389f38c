import type { CommandSpec, GroupSpec } from '../command-spec.ts';
import { contextOption, outputOption } from './shared-options.ts';

export const loginGroups: readonly GroupSpec[] = [{ path: 'context', summary: 'logins to several servers' }];

export const loginCommands: readonly CommandSpec[] = [
  {
    path: 'login',
    summary: 'log in to a server and keep the login',
    details:
      'A server whose certificate nobody vouches for shows the fingerprint of its authority first; what is agreed to is ' +
      'kept with the login. Without a way to a key, it is asked for at the terminal and not shown.',
    args: [
      { name: '[url]', description: 'address of the server (default: FLOTILLA_URL, else that of the current login)' },
    ],
    options: [
      {
        flags: '--access-key <key>',
        description: 'the key itself; others on this machine can see it while the command runs',
      },
      { flags: '--access-key-stdin', description: 'read the key from standard input' },
      { flags: '-u, --username <name>', description: 'log in with a password, which is asked for' },
      { flags: '--password-stdin', description: 'read the password from standard input' },
      {
        flags: '--ca-file <file>',
        description: 'the certificate of the authority to trust, in PEM form',
        candidates: 'file',
      },
      {
        flags: '--ca-fingerprint <sha256>',
        description: 'trust the authority that has this fingerprint, without asking',
      },
      { flags: '--name <name>', description: 'what to call the login (default: host and port)' },
      { flags: '-p, --project <name>', description: 'the project of commands that name none', candidates: 'project' },
    ],
    examples: [
      {
        command:
          'flotilla login https://127.0.0.1:8443 --ca-file .flotilla/ca.crt --access-key-stdin < .flotilla/admin.key',
        does: 'as the administrator of a server that was started in this folder',
      },
      {
        command: 'flotilla login https://clusters.example.com --username anna',
        does: 'with a password, typed at the terminal',
      },
    ],
    load: () => import('../commands/login.ts'),
  },
  {
    path: 'logout',
    summary: 'end a login and forget its key',
    options: [contextOption, { flags: '--all', description: 'all of them' }],
    examples: [{ command: 'flotilla logout', does: 'end the current login' }],
    load: () => import('../commands/logout.ts'),
  },
  {
    path: 'whoami',
    summary: 'show who the server takes you for, and with which key',
    options: [contextOption, outputOption],
    examples: [
      { command: 'flotilla whoami', does: 'user, teams, groups, key, server and project' },
      { command: "flotilla whoami -o jsonpath='{.status.user.name}'", does: 'the name alone, for a script' },
    ],
    load: () => import('../commands/whoami.ts'),
  },
  {
    path: 'context list',
    summary: 'list the logins that are kept',
    examples: [{ command: 'flotilla context list', does: 'servers, users and projects; never the keys' }],
    load: () => import('../commands/context-list.ts'),
  },
  {
    path: 'context use',
    summary: 'make a login the current one, or give it another project',
    args: [{ name: '[name]', description: 'the login (default: the current one)', candidates: 'context' }],
    options: [
      { flags: '-p, --project <name>', description: 'the project of commands that name none', candidates: 'project' },
    ],
    examples: [
      { command: 'flotilla context use clusters.example.com', does: 'commands go there from now on' },
      { command: 'flotilla context use --project payments', does: 'the same server, another project' },
    ],
    load: () => import('../commands/context-use.ts'),
  },
];

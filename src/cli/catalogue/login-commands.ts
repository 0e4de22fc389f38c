import type { CommandSpec, GroupSpec } from '../command-spec.ts';
import { contextOption, outputOption } from './shared-options.ts';

export const loginGroups: readonly GroupSpec[] = [{ path: 'context', summary: 'Manage saved logins' }];

export const loginCommands: readonly CommandSpec[] = [
  {
    path: 'login',
    summary: 'Log in to a server and save the login',
    details:
      'If the server certificate is not trusted, the command shows the fingerprint of its CA and asks whether to ' +
      'trust it. A CA that you accept is saved with the login. If no option provides a credential, the command opens ' +
      'the console in your browser, where you allow the login. If the console is disabled, the command asks for an ' +
      'access key without echoing it.',
    args: [
      { name: '[url]', description: 'URL of the server (default: FLOTILLA_URL, or the server of the current login)' },
    ],
    options: [
      {
        flags: '--access-key <key>',
        description: 'Access key; other users of this machine can see it while the command runs',
      },
      {
        flags: '--access-key-stdin',
        description: 'Read the access key from standard input; on a terminal, the command asks for it',
      },
      { flags: '-u, --username <name>', description: 'Log in with a password; the command asks for it' },
      { flags: '--password-stdin', description: 'Read the password from standard input' },
      {
        flags: '--no-browser',
        description: 'Print an address and a code, with which you allow the login in a browser on any machine',
      },
      {
        flags: '--workload-identity',
        description:
          'Log in with the token of this CI job or pod, without a stored secret; later commands renew the login',
      },
      {
        flags: '--token-file <file>',
        description: 'File with the token (default: FLOTILLA_ID_TOKEN, or the token of GitHub Actions)',
        candidates: 'file',
      },
      {
        flags: '--audience <audience>',
        description: 'Audience of the token that GitHub Actions issues (default: the URL of the server)',
      },
      {
        flags: '--ca-file <file>',
        description: 'CA certificate to trust, in PEM format',
        candidates: 'file',
      },
      {
        flags: '--ca-fingerprint <sha256>',
        description: 'Trust the CA that has this fingerprint, without asking',
      },
      { flags: '--name <name>', description: 'Name of the login (default: host and port)' },
      { flags: '-p, --project <name>', description: 'Default project of the login', candidates: 'project' },
    ],
    examples: [
      { command: 'flotilla login https://clusters.example.com', does: 'Log in with your browser' },
      {
        command: 'flotilla login https://clusters.example.com --no-browser',
        does: 'Log in on a machine without a browser, with a code',
      },
      {
        command:
          'flotilla login https://127.0.0.1:8443 --ca-file .flotilla/ca.crt --access-key-stdin < .flotilla/admin.key',
        does: 'Log in as the administrator of a server that was started in this directory',
      },
      {
        command: 'flotilla login https://clusters.example.com --username anna',
        does: 'Log in with a password',
      },
      {
        command: 'flotilla login https://clusters.example.com --workload-identity',
        does: 'Log in as a CI job, without a stored secret',
      },
    ],
    load: () => import('../commands/access/login.ts'),
  },
  {
    path: 'logout',
    summary: 'Log out and delete the saved login',
    options: [contextOption, { flags: '--all', description: 'Log out of all servers' }],
    examples: [{ command: 'flotilla logout', does: 'End the current login' }],
    load: () => import('../commands/access/logout.ts'),
  },
  {
    path: 'whoami',
    summary: 'Show the current user, access key and server',
    options: [contextOption, outputOption],
    examples: [
      { command: 'flotilla whoami', does: 'Show user, teams, groups, access key, server and project' },
      { command: "flotilla whoami -o jsonpath='{.status.user.name}'", does: 'Print the user name, for a script' },
    ],
    load: () => import('../commands/access/whoami.ts'),
  },
  {
    path: 'context list',
    summary: 'List saved logins',
    examples: [{ command: 'flotilla context list', does: 'List servers, users and projects, never the access keys' }],
    load: () => import('../commands/access/context-list.ts'),
  },
  {
    path: 'context use',
    summary: 'Switch to another login, or change its default project',
    args: [{ name: '[name]', description: 'Name of the login (default: the current login)', candidates: 'context' }],
    options: [{ flags: '-p, --project <name>', description: 'Default project of the login', candidates: 'project' }],
    examples: [
      { command: 'flotilla context use clusters.example.com', does: 'Switch to another server' },
      { command: 'flotilla context use --project payments', does: 'Switch to another project on the same server' },
    ],
    load: () => import('../commands/access/context-use.ts'),
  },
];

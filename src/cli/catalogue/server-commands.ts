import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { dataDirOption } from './shared-options.ts';

const agentOptions: readonly OptionSpec[] = [
  { flags: '--management <url>', description: 'the central server: https://host:port', required: true },
  { flags: '--ca-file <file>', description: 'certificates that it is checked with', candidates: 'file' },
  { flags: '--cluster <name>', description: 'the Cluster whose agent this is', required: true },
  { flags: '--access-key-file <file>', description: 'the key of the agent', required: true, candidates: 'file' },
  {
    flags: '--data-dir <directory>',
    description: 'what outlives a run (default: .flotilla-agent)',
    candidates: 'file',
  },
  { flags: '--listen <host:port>', description: 'where to serve; port 0 is any free one (default: 127.0.0.1:8444)' },
  { flags: '--external-url <url>', description: 'how others reach the agent (default: the listen address)' },
  { flags: '--kubeconfig <file>', description: 'the cluster beside the agent', candidates: 'file' },
  { flags: '--built-in', description: 'the agent is the cluster itself; it needs no Kubernetes' },
  { flags: '--tls-cert-file <file>', description: 'a certificate of your own', candidates: 'file' },
  { flags: '--tls-key-file <file>', description: 'its key', candidates: 'file' },
  { flags: '--tls-san <names>', description: 'more names for the certificate that the agent makes', many: true },
  { flags: '--api-prefix <prefix>', description: 'as the central server has it (default: kubernetes)' },
  {
    flags: '--max-policy-age <time>',
    description: 'what the central server told longer ago lets in nobody (default: 24h)',
  },
  { flags: '--log-level <level>', description: 'debug, info, warn, error or silent (default: info)' },
];

/** What runs a server, or works on its data directory. */
export async function serverCommands(): Promise<readonly CommandSpec[]> {
  const { startFlags } = await import('../../server/flags.ts');
  const options = startFlags.map(
    ({ flag, description, ...rest }): OptionSpec => ({
      flags: flag,
      description,
      ...('many' in rest ? { many: true } : {}),
    }),
  );
  return [
    {
      path: 'start',
      summary: 'serve the management API until a signal ends it',
      options,
      examples: [
        { command: 'flotilla start', does: 'serve on 127.0.0.1:8443, keep everything in .flotilla' },
        {
          command: 'flotilla start --listen 0.0.0.0:443 --external-url https://clusters.example.com',
          does: 'serve others, under the name that they know',
        },
      ],
      load: () => import('../commands/start.ts'),
    },
    {
      path: 'agent',
      summary: 'serve a connected cluster beside it, also while the central server is down',
      details:
        'The key comes from the subresource accesskey of the Cluster. Without --kubeconfig and --built-in the agent runs ' +
        'in a pod of its cluster, with its service account.',
      options: agentOptions,
      examples: [
        {
          command:
            'flotilla agent --management https://127.0.0.1:8443 --ca-file .flotilla/ca.crt --cluster edge --access-key-file edge.key --built-in',
          does: 'a cluster of its own for virtual clusters, on this machine',
        },
      ],
      load: () => import('../commands/agent.ts'),
    },
    {
      path: 'backup',
      summary: 'write everything but the seal key to a new file, also while the server runs',
      args: [{ name: '<file>', description: 'the file to make; it must not exist', candidates: 'file' }],
      options: [dataDirOption],
      examples: [{ command: 'flotilla backup today.flotilla', does: 'one moment of the whole store, with a checksum' }],
      load: () => import('../commands/backup.ts'),
    },
    {
      path: 'restore',
      summary: 'make a data directory from a backup',
      args: [{ name: '<file>', description: 'a file that flotilla backup wrote', candidates: 'file' }],
      options: [
        {
          flags: '--data-dir <directory>',
          description: 'the directory to make; it must be empty or absent',
          required: true,
          candidates: 'file',
        },
        {
          flags: '--seal-key-file <file>',
          description: 'the seal key of the installation that was backed up; copied to seal.key',
          candidates: 'file',
        },
      ],
      examples: [
        {
          command: 'flotilla restore today.flotilla --data-dir /var/lib/flotilla --seal-key-file /safe/place/seal.key',
          does: 'everything as it was, secrets too',
        },
      ],
      load: () => import('../commands/restore.ts'),
    },
    {
      path: 'rotate-signing-key',
      summary: 'sign tokens with a new key from now on, also while the server runs',
      options: [
        dataDirOption,
        {
          flags: '--revoke',
          description: 'end the tokens of all older keys at once, for a key that somebody else may have',
        },
      ],
      examples: [
        { command: 'flotilla rotate-signing-key', does: 'older tokens go on until they end' },
        { command: 'flotilla rotate-signing-key --revoke', does: 'older tokens are void at once' },
      ],
      load: () => import('../commands/rotate-signing-key.ts'),
    },
  ];
}

import type { Command } from 'commander';

export function addKubeconfigCommand(program: Command): void {
  const command = program
    .command('kubeconfig')
    .description('print a kubeconfig for a virtual cluster, as the administrator, from the server that runs')
    .argument('<instance>', 'name of the virtual cluster instance')
    .option('--project <name>', 'the project that it is in; default unless given', 'default')
    .option('--data-dir <directory>', 'the data directory of the server')
    .allowExcessArguments(false);
  command.action(async (instance: string, options: { project: string; dataDir?: string }) => {
    const { instanceKubeconfig } = await import('../../server/instance-kubeconfig.ts');
    process.stdout.write(await instanceKubeconfig({ ...options, instance }));
  });
}

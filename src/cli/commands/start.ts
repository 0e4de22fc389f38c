import type { Command } from 'commander';

export async function addStartCommand(program: Command): Promise<void> {
  const { startFlags } = await import('../../server/flags.ts');
  const command = program
    .command('start')
    .description('serve the management API until a signal ends it')
    .allowExcessArguments(false);
  for (const { flag, description, ...rest } of startFlags) {
    if ('many' in rest) command.option(flag, description, collect);
    else command.option(flag, description);
  }
  command.action(async () => {
    const { runServer } = await import('../../server/run-server.ts');
    process.exitCode = await runServer(asWritten(command.opts()));
  });
}

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/** Commander turns `data-dir` into `dataDir`; the settings know the flags as they are written. */
function asWritten(values: Record<string, string | readonly string[]>): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value,
    ]),
  );
}

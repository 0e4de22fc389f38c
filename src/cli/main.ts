import { programVersion } from '../lib/program-version.ts';

/**
 * Runs the program with `process.argv` and sets the exit code. `--version` and shell completion are handled first,
 * without loading the command line parser, so that they are fast.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const [, , first, ...rest] = argv;
  if (first === '--version' && rest.length === 0) {
    process.stdout.write(`${programVersion}\n`);
  } else if (first === '__complete') {
    const { printCompletions } = await import('./completion/complete.ts');
    await printCompletions(rest, process.env);
  } else {
    const { runProgram } = await import('./run-program.ts');
    await runProgram(argv);
  }
}

import { programVersion } from '../lib/program-version.ts';

/**
 * The program, with `process.argv`. It sets the exit code. What tells no more than the version, and what a shell asks for
 * while somebody types, loads nothing else.
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

import { setApiWord } from '../api/api-word.ts';
import { programVersion } from '../lib/program-version.ts';
import { CliError } from './cli-error.ts';
import { chooseApiWord } from './config/choose-api-word.ts';

/**
 * Runs the program with `process.argv` and sets the exit code. `--version`, the short help and shell completion must be
 * fast, so they are handled first, without loading the command line parser. Everything that depends on the API word is
 * imported dynamically, after the word was chosen.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const [, , first, ...rest] = argv;
  if (first === '--version' && rest.length === 0) {
    process.stdout.write(`${programVersion}\n`);
    return;
  }
  if (first === undefined) {
    const { shortHelp } = await import('./short-help.ts');
    process.stdout.write(shortHelp());
    return;
  }
  const isCompletion = first === '__complete';
  try {
    setApiWord(await chooseApiWord(isCompletion ? rest : argv.slice(2), process.env));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    process.exitCode = error.exitCode;
    if (!isCompletion) process.stderr.write(`flotilla: ${error.message}\n`);
    return;
  }
  if (isCompletion) {
    const { printCompletions } = await import('./completion/complete.ts');
    await printCompletions(rest, process.env);
  } else {
    const { runProgram } = await import('./run-program.ts');
    await runProgram(argv);
  }
}

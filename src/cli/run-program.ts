import { CommanderError } from 'commander';
import { StatusError } from '../api/status.ts';
import { buildProgram, catalogueForWord } from './build-program.ts';
import { loadCatalogue } from './catalogue/catalogue.ts';
import { exitCodes } from './cli-error.ts';
import type { CommandCall } from './command-call.ts';
import { describeFailure } from './failure/describe-failure.ts';
import type { KnownNames } from './failure/missing-name.ts';
import { InterruptedError, listenForInterruption } from './interruption.ts';
import { openTerminal, type Terminal } from './output/terminal.ts';

/** Runs one command and sets the exit code. Prints an error that the user can fix as one line on standard error. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  exitOnClosedPipe();
  const interruption = listenForInterruption();
  const terminal = openTerminal({ out: process.stdout, err: process.stderr, in: process.stdin }, process.env);
  const catalogue = catalogueForWord(await loadCatalogue(), argv[2]);
  let started: CommandCall | undefined;
  const program = buildProgram(catalogue, async (spec, values) => {
    const { run } = await spec.load();
    const call: CommandCall = {
      values,
      terminal,
      environment: process.env,
      get interrupted() {
        return interruption.signal;
      },
      releaseSignals: () => interruption.stop(),
    };
    started = call;
    process.exitCode = (await run(call)) ?? exitCodes.success;
  });
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    } else if (interruption.exitCode !== undefined && error instanceof InterruptedError) {
      process.exitCode = interruption.exitCode;
    } else {
      process.exitCode = await printFailure(error, started, terminal);
    }
  } finally {
    interruption.stop();
  }
}

/** Prints what went wrong, and with `--verbose` the response of the server. Returns the exit code. */
async function printFailure(error: unknown, call: CommandCall | undefined, terminal: Terminal): Promise<number> {
  const known = call !== undefined && error instanceof StatusError ? await knownNames(error, call) : undefined;
  const { text, exitCode, response } = describeFailure(error, known);
  terminal.printToStderr(`flotilla: ${text}\n`);
  if (call?.values.flag('verbose') === true && response !== undefined)
    terminal.printToStderr(`the server responded: ${response}\n`);
  return exitCode;
}

/** The code that requests names is loaded only if a command has failed. */
async function knownNames(error: StatusError, call: CommandCall): Promise<KnownNames | undefined> {
  return await (await import('./failure/known-names.ts')).knownNamesFor(error, call);
}

/** Exits with code 0 if the reader of a pipe closes it, as in `flotilla list | head -1`. */
function exitOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.success);
    throw error;
  });
}

import { CommanderError } from 'commander';
import { buildProgram, catalogueForWord } from './build-program.ts';
import { loadCatalogue } from './catalogue/catalogue.ts';
import { exitCodes } from './cli-error.ts';
import { describeFailure } from './describe-failure.ts';
import { InterruptedError, listenForInterruption } from './interruption.ts';
import { openTerminal } from './output/terminal.ts';

/** Runs one command and sets the exit code. Prints an error that the user can fix as one line on standard error. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  exitOnClosedPipe();
  const interruption = listenForInterruption();
  const terminal = openTerminal({ out: process.stdout, err: process.stderr, in: process.stdin }, process.env);
  const catalogue = catalogueForWord(await loadCatalogue(), argv[2]);
  const program = buildProgram(catalogue, async (spec, values) => {
    const { run } = await spec.load();
    const call = {
      values,
      terminal,
      environment: process.env,
      get interrupted() {
        return interruption.signal;
      },
      releaseSignals: () => interruption.stop(),
    };
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
      const { text, exitCode } = describeFailure(error);
      terminal.printToStderr(`flotilla: ${text}\n`);
      process.exitCode = exitCode;
    }
  } finally {
    interruption.stop();
  }
}

/** Exits with code 0 if the reader of a pipe closes it, as in `flotilla list | head -1`. */
function exitOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.success);
    throw error;
  });
}

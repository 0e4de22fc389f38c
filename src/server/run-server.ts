import { systemClock } from '../lib/clock.ts';
import { disableMetersInTests } from '../process/disable-meters-in-tests.ts';
import { setHeapGrowth } from '../process/heap-growth.ts';
import { openLog } from '../process/open-log.ts';
import { watchShutdownSignals } from '../process/shutdown-signals.ts';
import { threadStarter } from '../process/threads/start-thread.ts';
import { dataDirAt } from './data/data-dir.ts';
import { readyMessage } from './ready-message.ts';
import type { FlagValues } from './settings/flags.ts';
import { readOptions } from './settings/options.ts';
import { startServer } from './start-server.ts';

/**
 * Maximum duration of the shutdown, which must end within ten seconds. Work that takes longer is aborted. Acknowledged
 * writes are not lost.
 */
const maxShutdownMs = 9_500;

/** Rendering is limited to 30 million bytes and values, which need far less memory. */
const renderingHeapBytes = 512 * 1024 * 1024;

/**
 * `flotilla start`: runs the server until a signal stops it. Returns the exit code; rejects if the server cannot start.
 */
export async function runServer(flags: FlagValues): Promise<number> {
  disableMetersInTests(process.env);
  const options = await readOptions(flags);
  const log = openLog(options.logLevel);
  const signals = watchShutdownSignals(process, () => process.exit(1));
  const server = await startServer(options, {
    clock: systemClock,
    log,
    threads: {
      planes: threadStarter('plane-thread.js', options.planes.workerHeapBytes),
      rendering: threadStarter('render-thread.js', renderingHeapBytes),
    },
  });
  const { adminKubeconfig, adminKey } = dataDirAt(options.dataDir);
  const { url, hasConsole } = server;
  process.stdout.write(readyMessage({ url, adminKubeconfig, adminKey, hasConsole, workingDirectory: process.cwd() }));
  setHeapGrowth();
  await signals.firstSignal;
  const forceExit = setTimeout(() => process.exit(0), maxShutdownMs);
  await server.close();
  clearTimeout(forceExit);
  return 0;
}

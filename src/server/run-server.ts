import { systemClock } from '../lib/clock.ts';
import { disableMetersInTests } from '../process/disable-meters-in-tests.ts';
import { setHeapGrowth } from '../process/heap-growth.ts';
import { openLog } from '../process/open-log.ts';
import { fileExists } from '../process/private-dir.ts';
import { watchShutdownSignals } from '../process/shutdown-signals.ts';
import { threadStarter } from '../process/threads/start-thread.ts';
import { dataDirAt } from './data/data-dir.ts';
import { readyMessage } from './ready-message.ts';
import type { FlagValues } from './settings/flags.ts';
import { readOptions } from './settings/options.ts';
import { type RunningServer, startServer } from './start-server.ts';

/**
 * Maximum duration of the shutdown, which must end within ten seconds. Work that takes longer is aborted. Acknowledged
 * writes are not lost.
 */
const maxShutdownMs = 9_500;

/** The maximum heap for rendering. Rendering is limited to 30 million bytes and values, which need far less memory. */
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
      planes: threadStarter('plane-thread', options.planes.workerHeapBytes),
      rendering: threadStarter('render-thread', renderingHeapBytes),
    },
  });
  process.stdout.write(await describeReadyServer(server, options.dataDir));
  setHeapGrowth();
  await signals.firstSignal;
  const forceExit = setTimeout(() => process.exit(0), maxShutdownMs);
  await server.close();
  clearTimeout(forceExit);
  return 0;
}

async function describeReadyServer({ url, hasConsole }: RunningServer, dataDir: string): Promise<string> {
  const { adminKubeconfig, adminKey, caCertificate } = dataDirAt(dataDir);
  return readyMessage({
    url,
    adminKubeconfig: (await fileExists(adminKubeconfig)) ? adminKubeconfig : undefined,
    adminKey: (await fileExists(adminKey)) ? adminKey : undefined,
    caCertificate,
    hasConsole,
    workingDirectory: process.cwd(),
  });
}

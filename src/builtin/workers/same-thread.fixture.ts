import type { Clock } from '../../lib/clock.ts';
import { runPlaneThread } from './plane-thread.ts';
import type { StartPlaneThread } from './plane-workers.ts';

/**
 * Runs the code of a worker on the thread of the test, with the same messages as between threads. With this function,
 * tests can use a manual clock and do not need a built program.
 */
export function startOnSameThread(clock: Clock): StartPlaneThread {
  return (data, ports, onExit) => {
    runPlaneThread(data, clock);
    return {
      async terminate() {
        for (const port of ports) port.close();
        onExit(undefined);
      },
    };
  };
}

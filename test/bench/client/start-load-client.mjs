import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('load-client.mjs', import.meta.url));
/** A time limit that no job reaches on a machine without other load. */
const longestJobMilliseconds = 15 * 60_000;

/**
 * Starts the process that generates the load. `run` runs one job. After a failed job, the next job gets a new process.
 */
export function startLoadClient(signal) {
  let child;
  const end = async () => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill();
    await ended;
  };
  return {
    async run(job, target, options) {
      signal.throwIfAborted();
      child ??= fork(program, { stdio: 'inherit' });
      try {
        child.send({ job, target, options });
        return await answerOf(child, signal);
      } catch (error) {
        await end();
        throw error;
      }
    },
    stop: end,
  };
}

function answerOf(child, signal) {
  return new Promise((resolve, reject) => {
    const over = AbortSignal.any([signal, AbortSignal.timeout(longestJobMilliseconds)]);
    const stop = () => reject(over.reason);
    const gone = (code) => reject(new Error(`the load client exited with ${code}`));
    const answered = ({ result, error }) => {
      over.removeEventListener('abort', stop);
      child.off('exit', gone);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    };
    over.addEventListener('abort', stop, { once: true });
    child.once('exit', gone);
    child.once('message', answered);
  });
}

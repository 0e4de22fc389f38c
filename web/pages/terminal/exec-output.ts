import { displayedText, LineDecoder } from '../../components/log/log-lines.ts';
import { ExecConnection, type ExecTarget } from '../../components/terminal/exec-connection.ts';
import { KubectlError } from './kubectl/kubectl-error.ts';

/** Runs a command in a container and prints its output. Returns its exit code. Closes the connection if `signal` fires. */
export async function execOutput(
  target: ExecTarget,
  signal: AbortSignal,
  print: (text: string) => void,
): Promise<number> {
  const decoders = { stdout: new LineDecoder(), stderr: new LineDecoder() };
  const printLines = (lines: readonly string[]) => {
    if (lines.length > 0) print(lines.map(displayedText).join('\n'));
  };
  return await new Promise((resolve, reject) => {
    const connection = new ExecConnection(target, {
      onOpen() {},
      onOutput: (bytes, stream) => printLines(decoders[stream].decode(bytes)),
      onEnd(end) {
        for (const decoder of Object.values(decoders)) printLines(decoder.end());
        if (end.type === 'refused') reject(end.error);
        else if (end.type === 'lost') reject(new KubectlError('the connection was lost; the command may still run'));
        else if (end.exit.code === undefined) reject(new KubectlError(end.exit.message));
        else resolve(end.exit.code);
      },
    });
    signal.addEventListener('abort', () => {
      connection.close();
      reject(new KubectlError('stopped'));
    });
  });
}

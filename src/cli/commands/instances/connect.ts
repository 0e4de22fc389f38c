import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleepUnusedReason } from '../../../api/management/sleep-reasons.ts';
import { errorCode } from '../../../lib/private-file.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { waitUntilReady } from '../../connection/wait-for-instance.ts';
import { wakeInstance } from '../../connection/wake-instance.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { promptYesNo } from '../../input/prompt-user.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import { viaFromOptions } from '../../input/via-from-options.ts';
import { commandPath, type Instance, type InstanceKind } from '../../kinds.ts';
import { connectKubectl } from '../../kubeconfig/connect-kubectl.ts';
import { instanceKubeconfig, type KubeconfigRequest, kubeconfigText } from '../../kubeconfig/instance-kubeconfig.ts';

/**
 * Returns the command that connects kubectl to an instance or, if the user names another program, runs that program
 * with a kubeconfig for the instance.
 */
export function connectCommand(kind: InstanceKind): CommandRun {
  return async (call) => {
    const { values } = call;
    const command = values.argumentList('command');
    if (command.length > 0 && values.flag('exec')) throw usageError('--exec cannot be combined with a command');
    const ttl = values.text('ttl') === undefined ? undefined : parseDuration(values.text('ttl') ?? '', 'ttl');
    const via = viaFromOptions(values);
    const text = await withServer(call, async (api) => {
      const { project } = api.access;
      const request = { kind, project, name: values.argument('name'), ttl, via, signal: call.interrupted };
      await ensureReadyOrSleeping(api, request, call);
      if (command.length > 0) return kubeconfigText(await instanceKubeconfig(api, request));
      await connectKubectl(api, request, call);
      return undefined;
    });
    return text === undefined ? undefined : await runWithKubeconfig(text, command, call);
  };
}

/**
 * Waits until a new instance is ready. Wakes a sleeping instance if `--wake` is given, or if the user at the terminal
 * agrees.
 */
async function ensureReadyOrSleeping(
  api: ServerApi,
  { kind, project, name, signal }: KubeconfigRequest,
  call: CommandCall,
): Promise<void> {
  const instance = await getObject(api, kind, { project, signal }, name);
  const phase = instance.status?.phase;
  if (phase === 'Ready') return;
  if (phase === 'Sleeping') {
    if (!(await isToWake(kind, instance, call))) return;
    await wakeInstance(api, kind, name, signal);
  }
  await waitUntilReady(api, { kind, project, name, milliseconds: timeoutFromOptions(call.values) }, call);
}

/**
 * True if a sleeping instance must be woken. Throws if the instance stays asleep and does not wake at its first
 * request, because every request to it would fail.
 */
async function isToWake(kind: InstanceKind, { metadata, status }: Instance, call: CommandCall): Promise<boolean> {
  if (call.values.flag('wake')) return true;
  const { name = '' } = metadata;
  const wakesOnUse = status?.reason === sleepUnusedReason;
  const asleep = `${kind.noun} "${name}" is asleep`;
  const consequence = wakesOnUse ? 'its first request wakes it' : 'requests fail until it is woken';
  if (call.terminal.canPrompt && (await promptYesNo(`${asleep}: ${consequence}. Wake it now?`, call))) return true;
  if (!wakesOnUse)
    throw new CliError(asleep, {
      next: `to wake it, add --wake, or run: flotilla ${commandPath(kind, 'wake')} ${name} --wait`,
    });
  if (!call.terminal.canPrompt) call.terminal.printToStderr(`${asleep}; ${consequence}\n`);
  return false;
}

/** Runs a command with a temporary kubeconfig, which is deleted afterwards. Returns the exit code of the command. */
async function runWithKubeconfig(kubeconfig: string, command: readonly string[], call: CommandCall): Promise<number> {
  call.interrupted.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-'));
  const { running, forward } = childSignals(process.stdin.isTTY === true);
  call.releaseSignals();
  for (const name of forwardedSignals) process.on(name, forward);
  try {
    const file = join(folder, 'kubeconfig');
    await writeFile(file, kubeconfig, { mode: 0o600 });
    return await runChild(command, { ...call.environment, KUBECONFIG: file }, running);
  } finally {
    await rm(folder, { recursive: true, force: true });
    for (const name of forwardedSignals) process.off(name, forward);
  }
}

const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Forwards signals to the child process. In a terminal, Ctrl-C already sends SIGINT to both processes, so SIGINT is not
 * forwarded.
 */
function childSignals(hasTerminal: boolean) {
  const running = new Set<ChildProcess>();
  const forward = (name: NodeJS.Signals): void => {
    if (name === 'SIGINT' && hasTerminal) return;
    for (const one of running) one.kill(name);
  };
  return { running, forward };
}

function runChild(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  running: Set<ChildProcess>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = spawn(program, args, { stdio: 'inherit', env });
    running.add(started);
    started.once('error', (error) => {
      const missing = errorCode(error) === 'ENOENT';
      reject(new CliError(missing ? `program "${program}" not found` : `cannot start "${program}"`, { cause: error }));
    });
    started.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

import { textAt } from '@flotilla/json';
import type { KubeObject } from '../../../../../src/api/meta.ts';
import { displayedText } from '../../../../components/log/log-lines.ts';
import { kinds, objectUrl, queryText } from '../../../../data/kind-ref.ts';
import { podContainers } from '../../../inside/pod/pod-containers.ts';
import { type Command, type CommandContext, containerFlag, namespaceFlag } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';
import type { Arguments } from '../syntax/flags.ts';

export const logsCommand: Command = {
  name: 'logs',
  usage: 'POD',
  about: 'print the log of a pod',
  positional: 'pod',
  flags: [
    namespaceFlag,
    containerFlag,
    { name: 'follow', short: 'f', type: 'switch', about: 'print new lines until you stop the command' },
    { name: 'previous', short: 'p', type: 'switch', about: 'the log of the previous container' },
    { name: 'tail', type: 'text', about: 'the number of lines from the end' },
    { name: 'since', type: 'text', about: 'only lines that are newer than this duration, such as 30s, 5m or 2h' },
    { name: 'timestamps', type: 'switch', about: 'begin each line with its time' },
  ],
  async run(args, context) {
    const { pod, place } = await readPod(args, context);
    const container = chosenContainer(pod, args);
    const query = queryText({
      container,
      follow: args.isOn('follow') || undefined,
      previous: args.isOn('previous') || undefined,
      timestamps: args.isOn('timestamps') || undefined,
      tailLines: args.count('tail'),
      sinceSeconds: args.text('since') === undefined ? undefined : secondsOf(args.text('since') ?? ''),
    });
    const url = `${objectUrl(context.root, kinds.pod, place, 'log')}${query}`;
    for await (const line of context.api.lines({ url, accept: '*/*', signal: context.signal }))
      context.print(displayedText(line));
  },
};

/** Reads the pod that the first argument names: `web` or `pod/web`. */
export async function readPod(args: Arguments, context: CommandContext) {
  const [word, more] = args.words;
  const name = word?.replace(/^(?:pods?|po)\//, '') ?? '';
  if (name === '' || more !== undefined) throw new KubectlError('specify one pod');
  if (name.includes('/'))
    throw new KubectlError(`only pods are supported here, not "${word}"; find them with "get pods"`);
  const place = { namespace: args.text('namespace') ?? context.namespace, name };
  const url = objectUrl(context.root, kinds.pod, place);
  return { pod: await context.api.json<KubeObject>({ url, signal: context.signal }), place };
}

export function chosenContainer(pod: KubeObject, args: Arguments): string {
  const names = podContainers(pod).map(({ name }) => name);
  const wanted = args.text('container') ?? names[0] ?? '';
  if (!names.includes(wanted))
    throw new KubectlError(
      `container "${wanted}" is not in pod "${textAt(pod, 'metadata', 'name')}"; it has ${names.join(', ')}`,
    );
  return wanted;
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Converts a duration in Go syntax (`90s`, `1h30m`) to seconds. */
function secondsOf(text: string): number {
  const parts = [...text.matchAll(/(\d{1,6})([smh])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new KubectlError(`--since must be a duration such as 30s, 5m or 2h, not "${text}"`);
  return parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
}

import { type Command, containerFlag, namespaceFlag } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';
import { chosenContainer, readPod } from './logs.ts';

export const execCommand: Command = {
  name: 'exec',
  usage: 'POD [-it] -- COMMAND…',
  about: 'run a command in a container; -it opens a terminal',
  positional: 'pod',
  flags: [
    namespaceFlag,
    containerFlag,
    { name: 'stdin', short: 'i', type: 'switch', about: 'with -t: the command reads what you type' },
    { name: 'tty', short: 't', type: 'switch', about: 'with -i: open a terminal' },
  ],
  async run(args, context) {
    const { command } = args;
    if (command === undefined || command.length === 0)
      throw new KubectlError('the command must follow --, as in exec POD -- COMMAND');
    if (args.isOn('stdin') !== args.isOn('tty'))
      throw new KubectlError('use -it for a terminal, or neither -i nor -t to print the output');
    const { pod, place } = await readPod(args, context);
    const target = {
      root: context.root,
      namespace: place.namespace,
      pod: place.name,
      container: chosenContainer(pod, args),
      command,
      tty: args.isOn('tty'),
    };
    if (target.tty) {
      context.openTerminal(target);
      return;
    }
    const code = await context.exec(target);
    if (code !== 0) throw new KubectlError(`command terminated with exit code ${code}`);
  },
};

import { type Command, namespaceFlag } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';

export const configCommand: Command = {
  name: 'config',
  usage: 'set-context --current --namespace=NAME',
  about: 'set the namespace of commands without -n, on this page',
  positional: 'none',
  subcommands: ['set-context'],
  flags: [namespaceFlag, { name: 'current', type: 'switch', about: 'the context of this page, the only one' }],
  async run(args, context) {
    const namespace = args.text('namespace');
    const [subcommand, ...more] = args.words;
    if (subcommand !== 'set-context' || more.length > 0 || !args.isOn('current') || namespace === undefined)
      throw new KubectlError('use "config set-context --current --namespace=NAME"; this page has no other contexts');
    context.setNamespace(namespace);
    context.print(`Commands without -n use the namespace ${namespace}.`);
  },
};

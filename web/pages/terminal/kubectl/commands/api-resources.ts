import { apiVersionOf } from '../../../../../src/api/meta.ts';
import { TextTable, tableOf } from '../../../../../src/client/text-table.ts';
import type { Command } from '../command.ts';
import { kindName } from '../syntax/resolve-kind.ts';

export const apiResourcesCommand: Command = {
  name: 'api-resources',
  usage: '',
  about: 'list the kinds that this virtual cluster serves',
  positional: 'none',
  flags: [
    { name: 'api-group', type: 'text', about: 'only the kinds of this group' },
    { name: 'namespaced', type: 'switch', about: 'only namespaced kinds; with =false, only kinds at cluster scope' },
    { name: 'verbs', type: 'list', about: 'only kinds with these verbs' },
    { name: 'output', short: 'o', type: 'text', values: ['wide', 'name'], about: 'the format' },
  ],
  async run(args, context) {
    const [group, namespaced, verbs, output] = [
      args.text('api-group'),
      args.text('namespaced'),
      args.list('verbs'),
      args.text('output'),
    ];
    const shown = (await context.served()).filter(
      (kind) =>
        (group === undefined || kind.group === group) &&
        (namespaced === undefined || String(kind.namespaced) === namespaced) &&
        verbs.every((verb) => kind.verbs.includes(verb)),
    );
    if (output === 'name') {
      for (const kind of shown) context.print(kindName({ kind: kind.plural, group: kind.group }));
      return;
    }
    const isWide = output === 'wide';
    const rows = shown.map((kind) => [
      kind.plural,
      kind.shortNames.join(','),
      apiVersionOf(kind),
      String(kind.namespaced),
      kind.kind,
      ...(isWide ? [kind.verbs.join(','), (kind.categories ?? []).join(',')] : []),
    ]);
    const head = ['Name', 'Shortnames', 'APIVersion', 'Namespaced', 'Kind', ...(isWide ? ['Verbs', 'Categories'] : [])];
    context.print(new TextTable({ wide: true }).lines(tableOf(head, rows)).join('\n'));
  },
};

import { dump } from 'js-yaml';
import { code, page, paragraph, table } from './markdown.mjs';

/** Flags as `--help` has them, and what a configuration file can say besides. */
export async function settingsPage(program) {
  const { commands } = await program.loadCatalogue();
  const start = commands.find(({ path }) => path === 'start');
  const { fileSettings } = program;
  const lists = allSettings(fileSettings).filter(([, setting]) => setting.members !== undefined);
  return page(
    '# Settings',
    'Made from the code by `npm run docs`. `flotilla start --help` says the same of the flags; the other commands stand in [cli.md](cli.md).',
    '## flotilla start',
    paragraph(
      'What a flag can say, the file that `--config` names can say too, in YAML, under the name in the second column or',
      'spelled as the flag is (`data-dir`). Flags win. A name that is not a setting is refused, and so is a value of',
      'another kind than the one wanted.',
    ),
    table(['flag', 'in the file', 'default', 'meaning'], start.options.map(startRow)),
    '## Only in the file',
    'Each group is a map: `audit.maxBytes` is the member `maxBytes` of the map `audit`.',
    table(
      ['setting', 'takes', 'default', 'meaning'],
      allSettings(fileSettings).map(([name, setting]) => [
        code(name),
        setting.takes,
        defaultOf(setting),
        setting.meaning,
      ]),
    ),
    lists.flatMap(([name, setting]) => describeList(name, setting)),
  );
}

function defaultOf({ members, default: value }) {
  if (members !== undefined) return 'see below';
  return value === '' ? '' : code(value);
}

/** Flags end with what holds without them, in brackets. */
const withDefault = /^(.*) \(default (.*)\)$/;

function startRow(option) {
  const [, meaning = option.description, preset = ''] = withDefault.exec(option.description) ?? [];
  const several = option.many === true ? '; may be given several times' : '';
  const name = /^--([a-z-]+)/.exec(option.flags)?.[1] ?? '';
  const inFile = name === 'config' ? '' : code(name.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase()));
  return [code(option.flags), inFile, preset, `${meaning}${several}`];
}

function allSettings(groups) {
  return Object.entries(groups).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, setting]) => [`${group}.${name}`, setting]),
  );
}

function describeList(name, setting) {
  return [
    `### ${name}`,
    'What stands in an entry:',
    table(
      ['member', 'meaning'],
      Object.entries(setting.members).map(([member, text]) => [code(member), text]),
    ),
    'The default:',
    `\`\`\`yaml\n${yamlList(name, setting.default)}\n\`\`\``,
  ];
}

function yamlList(name, entries) {
  const [group, member] = name.split('.');
  return dump({ [group]: { [member]: entries } }, { lineWidth: 100, flowLevel: 6, noRefs: true }).trimEnd();
}

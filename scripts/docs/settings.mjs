import { dump } from 'js-yaml';
import { code, page, paragraph, table } from './markdown.mjs';

/**
 * Returns the reference of the flags of `flotilla start` and of the settings that are only available in a configuration
 * file.
 */
export async function settingsPage(program) {
  const { commands } = await program.loadCatalogue();
  const start = commands.find(({ path }) => path === 'start');
  const { fileSettings } = program;
  const lists = allSettings(fileSettings).filter(([, setting]) => setting.members !== undefined);
  return page(
    '# Settings',
    'Generated from the code by `npm run docs`. `flotilla start --help` also describes the flags. The other commands are in [cli.md](cli.md).',
    '## flotilla start',
    paragraph(
      'Every flag can also be set in the YAML file that `--config` names, with the name in the second column or with the',
      'name of the flag (`data-dir`). Flags take precedence. Unknown settings and values of the wrong type are refused.',
    ),
    table(['flag', 'in the file', 'default', 'meaning'], start.options.map(startRow)),
    '## Settings without a flag',
    'Each group is a map: `audit.maxBytes` is the key `maxBytes` of the map `audit`.',
    table(
      ['setting', 'type', 'default', 'meaning'],
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

function defaultOf({ members, default: value, describedDefault }) {
  if (describedDefault !== undefined) return describedDefault;
  if (members !== undefined) return 'see below';
  return value === '' ? '' : code(value);
}

/** The description of a flag ends with its default in parentheses. */
const withDefault = /^(.*) \(default (.*)\)$/;

function startRow(option) {
  const [, meaning = option.description, preset = ''] = withDefault.exec(option.description) ?? [];
  const several = option.many === true ? '; can be repeated' : '';
  const name = /^--([a-z-]+)/.exec(option.flags)?.[1] ?? '';
  const inFile = name === 'config' ? '' : code(name.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase()));
  return [code(option.flags), inFile, preset, `${meaning}${several}`];
}

function allSettings(groups) {
  return Object.entries(groups).flatMap(([group, settings]) =>
    Object.entries(settings).flatMap(([name, setting]) =>
      setting.settings === undefined
        ? [[`${group}.${name}`, setting]]
        : allSettings({ [`${group}.${name}`]: setting.settings }),
    ),
  );
}

function describeList(name, setting) {
  return [
    `### ${name}`,
    'The fields of an entry:',
    table(
      ['field', 'meaning'],
      Object.entries(setting.members).map(([member, text]) => [code(member), text]),
    ),
    'The default:',
    `\`\`\`yaml\n${yamlList(name, setting.default)}\n\`\`\``,
  ];
}

function yamlList(name, entries) {
  const nested = name.split('.').reduceRight((value, member) => ({ [member]: value }), entries);
  return dump(nested, { lineWidth: 100, flowLevel: 6, noRefs: true }).trimEnd();
}

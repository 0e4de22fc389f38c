import { anchor, code, page, paragraph, table } from './markdown.mjs';

/** The command line as its catalogue has it, which its help is made from as well. */
export async function cliPage(program) {
  const { loadCatalogue, exitCodes, exitCodeMeanings, environmentMeanings } = program;
  const { sections } = await loadCatalogue();
  return page(
    '# The command line',
    'Made from the code by `npm run docs`. `flotilla <command> --help` says the same.',
    paragraph(
      'Results go to standard output, everything said about them to standard error. Colours and lines that move are for',
      'terminals alone. In a clone it is `npx flotilla`; linked or copied as `kubectl-flotilla` to somewhere on PATH it is',
      '`kubectl flotilla`.',
    ),
    table(
      ['command', 'what it does'],
      sections.flatMap(({ commands }) =>
        commands.map(({ path, summary }) => [`[${path}](#${anchor(`flotilla ${path}`)})`, summary]),
      ),
    ),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.entries(exitCodes).map(([name, number]) => [code(number), exitCodeMeanings[name]]),
    ),
    paragraph('`flotilla connect NAME -- COMMAND` ends with what the command ended with.'),
    '## Environment',
    paragraph(
      'Which server and as whom: `--context`, else the environment, else the current login. Which project: `--project`, else',
      '`FLOTILLA_PROJECT`, else that of the login, else `default`. The key of a login is sent to its own server and to no other.',
    ),
    table(
      ['variable', 'meaning'],
      Object.entries(environmentMeanings).map(([name, meaning]) => [name.split(', ').map(code).join(', '), meaning]),
    ),
    '## Output',
    table(
      ['`-o`', 'prints'],
      [
        ['(none)', 'a table with the columns of the server'],
        [code('wide'), 'the same with more columns'],
        [code('json'), 'the objects, or a list of them'],
        [code('yaml'), 'the same in YAML'],
        [code('name'), 'kind and name, a line each, as kubectl takes them'],
        [
          code('jsonpath=<template>'),
          "fields, as in kubectl: `'{.spec.owner.user}'`, `'{range .items[*]}{.metadata.name}{\"\\n\"}{end}'`",
        ],
      ],
    ),
    sections.flatMap(({ title, commands }) => [`## ${title}`, commands.flatMap(describe)]).flat(),
  );
}

function describe({ path, aliases, summary, details, args = [], options = [], examples }) {
  const usage = ['flotilla', path, ...(options.length === 0 ? [] : ['[options]']), ...args.map(({ name }) => name)];
  const rows = [
    ...args.map(({ name, description }) => [code(name), description]),
    ...options.map(({ flags, description, required }) => [
      code(flags),
      required ? `${description}; required` : description,
    ]),
  ];
  const also = aliases === undefined ? '' : ` Also ${aliases.map((alias) => code(alias)).join(', ')}.`;
  return [
    `### flotilla ${path}`,
    `${code(usage.join(' '))}`,
    paragraph(`${capital(summary)}.${details === undefined ? '' : ` ${details}`}${also}`),
    rows.length === 0 ? undefined : table(['argument', 'meaning'], rows),
    `\`\`\`sh\n${examples.map(({ command, does }) => `${command}  # ${does}`).join('\n')}\n\`\`\``,
  ];
}

function capital(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

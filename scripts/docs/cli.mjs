import { anchor, code, page, paragraph, table } from './markdown.mjs';

/** Returns the command line reference. It is generated from the catalogue that `--help` also uses. */
export async function cliPage(program) {
  const { loadCatalogue, sharedByAll, exitCodes, exitCodeMeanings, environmentMeanings } = program;
  const { sections } = await loadCatalogue();
  return page(
    '# The command line',
    'Generated from the code by `npm run docs`. `flotilla <command> --help` shows the same text.',
    paragraph(
      'Results go to standard output, messages to standard error. Colors and progress indicators appear only in a terminal.',
      'In a clone of the repository, run `npx flotilla`. If the program is linked or copied to a folder on PATH as',
      '`kubectl-flotilla`, you can run `kubectl flotilla`.',
    ),
    table(
      ['command', 'description'],
      sections.flatMap(({ commands }) =>
        commands.map(({ path, summary }) => [`[${path}](#${anchor(`flotilla ${path}`)})`, summary]),
      ),
    ),
    '## Options of all commands',
    table(
      ['option', 'meaning'],
      sharedByAll.map(({ flags, description }) => [code(flags), description]),
    ),
    paragraph('They, `-o` and `-p` can also precede the command: `flotilla -o json list`.'),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.entries(exitCodes).map(([name, number]) => [code(number), exitCodeMeanings[name]]),
    ),
    paragraph('`flotilla connect NAME -- COMMAND` exits with the exit code of the command.'),
    '## Environment',
    paragraph(
      'The server and the credential come from `--context`, the environment or the current login, in this order. The project',
      'comes from `--project`, `FLOTILLA_PROJECT` or the login, in this order, and defaults to `default`. The key of a login is',
      'sent only to the server of that login.',
    ),
    table(
      ['variable', 'meaning'],
      Object.entries(environmentMeanings).map(([name, meaning]) => [name.split(', ').map(code).join(', '), meaning]),
    ),
    '## Output',
    table(
      ['`-o`', 'prints'],
      [
        ['(none)', 'a table with the columns that the server defines'],
        [code('wide'), 'the table with additional columns'],
        [code('json'), 'the object or the list as JSON'],
        [code('yaml'), 'the object or the list as YAML'],
        [code('name'), 'kind and name of each object on a line, in the format that kubectl accepts'],
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
    ...options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, description, required }) => [code(flags), required ? `${description}; required` : description]),
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

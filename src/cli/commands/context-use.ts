import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandRun } from '../command-spec.ts';
import { readConfig, writeConfig } from '../config/config-file.ts';
import { configPath } from '../config/config-path.ts';

/** Makes a login the current one, and its project another one if that is asked for. */
export const run: CommandRun = async ({ values, environment, terminal }) => {
  const path = configPath(environment);
  const config = await readConfig(path);
  const name = values.optionalArgument('name') ?? config.current;
  const login = name === undefined ? undefined : config.logins.get(name);
  if (name === undefined || login === undefined) {
    throw new CliError(name === undefined ? 'there is no login' : `there is no login ${JSON.stringify(name)}`, {
      exitCode: exitCodes.notFound,
      next: 'flotilla context list shows those that are there',
    });
  }
  const project = values.text('project') ?? login.project;
  const changed = { ...login, ...(project === undefined ? {} : { project }) };
  await writeConfig(path, { current: name, logins: new Map([...config.logins, [name, changed]]) });
  terminal.print(`using ${login.url} (context ${name}, project ${project ?? 'default'})\n`);
  return undefined;
};

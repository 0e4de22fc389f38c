import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { changeConfig, withLogin } from '../../config/change-config.ts';
import { readConfig } from '../../config/config-file.ts';
import { configPath } from '../../config/config-path.ts';

/** Makes a saved login the current one, and changes its default project if `--project` is given. */
export const run: CommandRun = async ({ values, environment, terminal }) => {
  const path = configPath(environment);
  const config = await readConfig(path);
  const name = values.optionalArgument('name') ?? config.current;
  const login = name === undefined ? undefined : config.logins.get(name);
  if (name === undefined || login === undefined) {
    throw new CliError(name === undefined ? 'not logged in' : `login ${JSON.stringify(name)} not found`, {
      exitCode: exitCodes.notFound,
      next: 'list saved logins with: flotilla context list',
    });
  }
  const project = values.text('project') ?? login.project;
  await changeConfig(path, (latest) => {
    const changed = { ...(latest.logins.get(name) ?? login), ...(project === undefined ? {} : { project }) };
    return { ...withLogin(latest, name, changed), current: name };
  });
  terminal.print(`switched to ${login.url} (context ${name}, project ${project ?? 'default'})\n`);
  return undefined;
};

import type { CommandRun } from '../../command-spec.ts';

export const run: CommandRun = async ({ values }) => {
  const { startFlags, flagName } = await import('../../../server/settings/flags.ts');
  const { runServer } = await import('../../../server/run-server.ts');
  const given = startFlags.flatMap((flag) => {
    const name = flagName(flag);
    const value = 'many' in flag ? nonEmpty(values.list(name)) : values.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return await runServer(Object.fromEntries(given));
};

function nonEmpty(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

import type { CommandRun } from '../command-spec.ts';
import { textsOf } from '../input/texts-of.ts';
import { teams } from '../kinds.ts';
import { createAndShow } from './object-create.ts';

export const run: CommandRun = async (call) => {
  const { values } = call;
  const [users, groups] = [values.list('user'), values.list('group')];
  const spec = {
    ...textsOf(values, { 'display-name': 'displayName', description: 'description' }),
    ...(users.length === 0 ? {} : { users: [...users] }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
  };
  return await createAndShow(teams, spec, call);
};

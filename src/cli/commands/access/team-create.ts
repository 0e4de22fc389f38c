import type { CommandRun } from '../../command-spec.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { teams } from '../../kinds.ts';
import { createAndShow } from '../objects/object-create.ts';

export const run: CommandRun = async (call) => {
  const { values } = call;
  const [users, groups] = [values.list('user'), values.list('group')];
  const spec = {
    ...fieldsFromOptions(values, { 'display-name': 'displayName', description: 'description' }),
    ...(users.length === 0 ? {} : { users: [...users] }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
  };
  return await createAndShow(teams, spec, call);
};

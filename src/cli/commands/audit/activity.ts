import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { checkProject } from '../../connection/check-project.ts';
import { objectPath } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { activityRecords } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { showObjects } from '../objects/object-list.ts';

const defaultLimit = '50';

export const run: CommandRun = async (call) => {
  const { values } = call;
  const format = await outputFormat(values);
  const name = values.optionalArgument('name');
  const limit = values.text('limit') ?? defaultLimit;
  const count = Number(limit);
  if (!/^[1-9]\d{0,2}$/.test(limit) || count > maxLimit) {
    throw usageError(`--limit must be a whole number from 1 to ${maxLimit}`);
  }
  const everywhere = values.flag('all-projects');
  if (everywhere && name !== undefined) throw usageError('a name cannot be combined with --all-projects');
  return await withServer(call, async (api) => {
    const ask = {
      path: objectPath(api, activityRecords, { project: everywhere ? undefined : api.access.project }),
      query: { limit, fieldSelector: name === undefined ? undefined : `involvedObject.name=${name}` },
      signal: call.interrupted,
    };
    await showObjects(api, ask, call, {
      format,
      withProject: everywhere,
      async emptyMessage() {
        if (everywhere) return 'no activity found';
        await checkProject(api, call.interrupted);
        const subject = name === undefined ? 'no activity found' : `no activity of ${JSON.stringify(name)} found`;
        return `${subject} in project "${api.access.project}"`;
      },
    });
    return undefined;
  });
};

/** The maximum number of records in one response. */
const maxLimit = 500;

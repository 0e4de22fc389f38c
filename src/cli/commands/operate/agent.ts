import type { CommandRun } from '../../command-spec.ts';

export const run: CommandRun = async ({ values }) => {
  const { runAgent } = await import('../../../agent/run-agent.ts');
  return await runAgent(values);
};

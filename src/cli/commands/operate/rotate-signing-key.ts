import type { CommandRun } from '../../command-spec.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { rotateSigningKey } = await import('../../../server/auth/rotate-signing-key.ts');
  terminal.print(await rotateSigningKey({ dataDir: values.text('data-dir'), revoke: values.flag('revoke') }));
  return undefined;
};

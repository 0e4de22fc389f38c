import type { CommandRun } from '../../command-spec.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const { runVerifyBackup } = await import('../../../server/data/verify-backup.ts');
  const options = { passphraseFile: values.text('passphrase-file'), sealKeyFile: values.text('seal-key-file') };
  terminal.print(await runVerifyBackup(values.argument('file'), options));
  return undefined;
};

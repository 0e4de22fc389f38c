import { resolve } from 'node:path';
import type { AuditProblem, AuditVerification, ReplicaVerification } from '../../../api/audit/audit-chain.ts';
import { auditVerifyPath } from '../../../api/audit/audit-chain.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { CliError, exitCodes, usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const format = await outputFormat(values);
  const results = values.text('file') === undefined ? await verifyOnServers(call) : [await verifyFiles(call)];
  if (format.kind === 'objects') terminal.print(format.print({ items: JSON.parse(JSON.stringify(results)) }));
  else for (const result of results) terminal.print(describe(result));
  const isClean = results.every((result) => !('error' in result) && result.problems.length === 0);
  return isClean ? undefined : exitCodes.error;
};

async function verifyOnServers(call: CommandCall): Promise<readonly ReplicaVerification[]> {
  const { values, interrupted: signal } = call;
  for (const option of ['public-key', 'checkpoints', 'replica']) {
    if (values.text(option) !== undefined) throw usageError(`--${option} needs --file`);
  }
  return await withServer(call, async (api) => {
    const results: ReplicaVerification[] = [];
    for await (const line of api.lines({ path: auditVerifyPath, signal })) {
      results.push(JSON.parse(line) as ReplicaVerification);
    }
    if (results.length === 0) throw new CliError('the response of the server is not complete', { next: 'try again' });
    return results;
  });
}

async function verifyFiles({ values, interrupted: signal }: CommandCall): Promise<ReplicaVerification> {
  const { verifyAuditFiles } = await import('../../../server/audit/verify-files.ts');
  const [path = '', publicKeyFile, checkpointsFile] = ['file', 'public-key', 'checkpoints'].map((option) => {
    const text = values.text(option);
    return text === undefined ? undefined : resolve(text);
  });
  const replica = values.text('replica');
  const result = await verifyAuditFiles({ path, publicKeyFile, checkpointsFile, replica, signal });
  return { replica: replica ?? '', ...result };
}

function describe(result: ReplicaVerification): string {
  const name = result.replica === '' || result.replica === 'only' ? '' : `replica ${result.replica}: `;
  if ('error' in result) return escapeControlCharacters(`${name}not verified: ${result.error}`).concat('\n');
  const { problems, notices } = result;
  const lines = [
    ...problems.map((problem) => `${name}${problemText(problem)}`),
    ...notices.map((notice) => `${name}note: ${problemText(notice)}`),
    `${name}${summary(result)}`,
  ];
  return lines.map((line) => `${escapeControlCharacters(line)}\n`).join('');
}

function problemText({ file, line, message }: AuditProblem): string {
  return file === '' ? message : `${file}:${line}: ${message}`;
}

function summary({ lines, first, last, signedUpTo, unprotectedLines, problems }: AuditVerification): string {
  const range =
    first === undefined || last === undefined
      ? ''
      : `, lines ${first.seq} to ${last.seq}, ${first.time} to ${last.time}`;
  const signed = signedUpTo === undefined ? 'signatures not checked' : `signed up to line ${signedUpTo}`;
  const old = unprotectedLines === 0 ? '' : `, ${unprotectedLines} older lines without hashes`;
  const outcome =
    problems.length === 0 ? 'no problems' : `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return `${outcome} in ${lines} lines${range}; ${signed}${old}`;
}

import { projectNamespace } from '../../../api/naming.ts';
import type { CallValues } from '../../command-call.ts';
import { parseDuration } from '../../input/parse-duration.ts';

/** The names of the options for the time of the first and of the last entry. */
export interface TimeOptions {
  readonly since: string;
  readonly until: string;
}

/** Returns the query parameters for the filter options of the audit commands. */
export function auditQueryOf(
  values: CallValues,
  now: number,
  { since, until }: TimeOptions,
): Record<string, string | undefined> {
  const project = values.text('project');
  return {
    user: values.text('user'),
    accessKey: values.text('access-key'),
    verb: values.text('verb'),
    resource: values.text('resource'),
    namespace: project === undefined ? undefined : projectNamespace(project),
    name: values.text('name'),
    code: values.text('code'),
    decision: values.flag('denied') ? 'denied' : undefined,
    dryRuns: values.flag('dry-runs') ? 'include' : undefined,
    stage: values.flag('all-stages') ? undefined : 'ResponseComplete',
    text: values.text('text'),
    since: timeOf(values, since, now),
    until: timeOf(values, until, now),
  };
}

/** Returns the time of an option as a timestamp. A duration such as `2h` means two hours before now. */
function timeOf(values: CallValues, option: string, now: number): string | undefined {
  const text = values.text(option);
  if (text === undefined) return undefined;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return `${text}T00:00:00Z`;
  return /^\d{4}-/.test(text) ? text : new Date(now - parseDuration(text, option) * 1_000).toISOString();
}

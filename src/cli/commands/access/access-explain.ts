import type {
  EffectiveAccessEntry,
  EffectiveAccessReview,
  EffectiveAccessSpec,
} from '../../../api/management/v1/effective-access-review.ts';
import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { effectiveAccessReviews, managementApiVersion } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { formatTable } from '../../output/print-table.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const spec = specOf(call, api);
    const review = await reviewAll(spec, call, api);
    if (format.kind === 'objects') {
      terminal.print(format.print(review));
      return undefined;
    }
    const { entries = [], inactive } = review.status ?? {};
    if (inactive !== undefined) terminal.printToStderr(`no access: ${inactive}\n`);
    else if (entries.length === 0) terminal.printToStderr('no access\n');
    else terminal.print(tableOf(entries, (spec.virtualClusterInstance ?? spec.spaceInstance) !== undefined, call));
    return undefined;
  });
};

function specOf({ values }: CommandCall, api: ServerApi): EffectiveAccessSpec {
  const kind = values.argument('kind');
  const name = values.argument('name');
  const project = values.text('project');
  const within = project === undefined ? {} : { project };
  switch (kind) {
    case 'user':
      return { user: name, ...within };
    case 'team':
      return { team: name, ...within };
    case 'key':
      return { accessKey: name, ...within };
    case 'instance':
      return { virtualClusterInstance: { project: api.access.project, name } };
    case 'space':
      return { spaceInstance: { project: api.access.project, name } };
    default:
      throw usageError(`"${kind}" is not a subject; use user, team, key, instance or space`);
  }
}

/** Requests all pages of the review and returns them as one object. */
async function reviewAll(
  spec: EffectiveAccessSpec,
  { interrupted: signal }: CommandCall,
  api: ServerApi,
): Promise<EffectiveAccessReview> {
  const entries: EffectiveAccessEntry[] = [];
  for (let next: string | undefined; ; ) {
    const { kind } = effectiveAccessReviews;
    const body = {
      apiVersion: managementApiVersion,
      kind,
      metadata: {},
      spec: { ...spec, ...(next === undefined ? {} : { continue: next }) },
    };
    const path = api.managementPath('effectiveaccessreviews');
    const page = await requestObject(api, effectiveAccessReviews, { method: 'POST', path, body, signal });
    const { continue: more, ...status } = page.status ?? { entries: [] };
    entries.push(...status.entries);
    if (more === undefined) return { ...page, spec, status: { ...status, entries } };
    next = more;
  }
}

function tableOf(entries: readonly EffectiveAccessEntry[], isInstance: boolean, { terminal }: CommandCall): string {
  const rows = entries.map((entry) => [
    isInstance ? `${entry.subject.kind.toLowerCase()} ${entry.subject.name}` : objectText(entry),
    [...entry.verbs, ...(entry.subresources ?? []).filter((one) => one !== 'status')].join(', '),
    ...(isInstance ? [(entry.clusterRoles ?? []).join(', ') || '<none>'] : []),
    entry.via.join(' → '),
  ]);
  const head = isInstance
    ? ['Subject', 'Permissions', 'Roles Inside', 'Granted By']
    : ['Object', 'Permissions', 'Granted By'];
  return formatTable(head, rows, terminal.colors);
}

/** Returns the resource with the project and the name of the object: `virtualclusterinstances red/demo`. */
function objectText({ resource, project, name }: EffectiveAccessEntry): string {
  const place = [...(project === undefined ? [] : [project]), name ?? '*'].join('/');
  return resource === '*' ? 'everything' : `${resource} ${place}`;
}

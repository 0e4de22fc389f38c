import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type {
  EffectiveAccessEntry,
  EffectiveAccessReview,
  EffectiveAccessSpec,
} from '../../../src/api/management/v1/effective-access-review.ts';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { managementRoot } from '../../data/api-root.ts';
import { collectionUrl, kinds } from '../../data/kind-ref.ts';
import { sendJson } from '../../data/send.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { SimpleTable } from '../list/simple-table.tsx';
import { LoadingIndicator } from '../loading-indicator.tsx';
import { Panel } from '../panel.tsx';

/**
 * The subject of an access review: either a user, team or key, whose permissions are reviewed, or an object, whose
 * users are reviewed.
 */
export type AccessQuestion = Omit<EffectiveAccessSpec, 'limit' | 'continue'>;

const pageSize = 100;

/**
 * For a user, team or key: a list of everything that they have access to. For an object: a list of everyone with
 * access. Each entry shows the reasons.
 */
export function EffectiveAccess({ subject }: { readonly subject: AccessQuestion }) {
  const isInstance = (subject.virtualClusterInstance ?? subject.spaceInstance) !== undefined;
  const isObject = isInstance || subject.object !== undefined;
  const query = useInfiniteQuery({
    queryKey: ['effective-access', subject],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => await review(subject, pageParam, signal),
    getNextPageParam: (page) => page.status?.continue,
  });
  if (query.error !== null) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <LoadingIndicator message="Loading effective access" />;
  const inactive = query.data.pages[0]?.status?.inactive;
  const entries = query.data.pages.flatMap((page) => page.status?.entries ?? []);
  return (
    <Panel title="Effective access">
      <Text size="sm" c="dimmed" mb="md">
        {isObject
          ? `Everyone who has permissions on this ${nounOf(subject)}, and the grants that give them.`
          : 'All permissions, and the grants that give them.'}
      </Text>
      {inactive === undefined ? null : <Text mb="md">No access: {inactive}.</Text>}
      {inactive === undefined && entries.length === 0 ? <Text>No access.</Text> : null}
      {entries.length === 0 ? null : (
        <SimpleTable
          label="Permissions"
          head={
            isObject
              ? ['Subject', 'Permissions', ...(isInstance ? ['Cluster roles'] : []), 'Granted by']
              : ['Object', 'Permissions', 'Granted by']
          }
          rows={entries.map((entry, index) => ({
            key: String(index),
            cells: [
              isObject ? <Subject key="subject" entry={entry} /> : <Target key="object" entry={entry} />,
              permissionsText(entry),
              ...(isInstance ? [(entry.clusterRoles ?? []).join(', ')] : []),
              entry.via.join(' → '),
            ],
          }))}
        />
      )}
      {query.hasNextPage ? (
        <Button mt="md" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </Panel>
  );
}

function nounOf({ spaceInstance, object }: AccessQuestion): string {
  if (object !== undefined) return resourceNouns[object.resource] ?? 'object';
  return spaceInstance === undefined ? 'virtual cluster' : 'space';
}

async function review(subject: AccessQuestion, position: string, signal: AbortSignal): Promise<EffectiveAccessReview> {
  const kind = kinds.accessReview;
  const spec = { ...subject, limit: pageSize, ...(position === '' ? {} : { continue: position }) };
  return await sendJson<EffectiveAccessReview>({
    method: 'POST',
    url: collectionUrl(managementRoot, kind),
    document: { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: {}, spec },
    signal,
  });
}

/** The nouns for the reviewed kinds in sentences, by plural resource name. */
const resourceNouns: Readonly<Record<string, string>> = {
  projects: 'project',
  virtualclusterinstances: 'virtual cluster',
  spaceinstances: 'space',
  secrets: 'secret',
  configmaps: 'config map',
  clusters: 'cluster',
  virtualclustertemplates: 'template',
  spacetemplates: 'space template',
  users: 'user',
  teams: 'team',
};

function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function permissionsText({ verbs, subresources = [] }: EffectiveAccessEntry): string {
  return [...verbs, ...subresources.filter((one) => one !== 'status')].join(', ');
}

function Subject({ entry }: { readonly entry: EffectiveAccessEntry }) {
  const { kind, name } = entry.subject;
  if (kind === 'User') return <Link to="/users/$user" params={{ user: name }}>{`User ${name}`}</Link>;
  if (kind === 'Team') return <Link to="/teams/$team" params={{ team: name }}>{`Team ${name}`}</Link>;
  return <Link to="/keys/named/$key" params={{ key: name }}>{`Access key ${name}`}</Link>;
}

function Target({ entry: { resource, project, name } }: { readonly entry: EffectiveAccessEntry }) {
  if (resource === '*') return <span>Everything</span>;
  if (resource === kinds.instance.plural && project !== undefined && name !== undefined) {
    return (
      <Link
        to="/virtual-clusters/$project/$name"
        params={{ project, name }}
      >{`Virtual cluster ${project}/${name}`}</Link>
    );
  }
  if (resource === kinds.space.plural && project !== undefined && name !== undefined) {
    return <Link to="/spaces/$project/$name" params={{ project, name }}>{`Space ${project}/${name}`}</Link>;
  }
  if (resource === kinds.project.plural && name !== undefined) {
    return <Link to="/projects/$project" params={{ project: name }}>{`Project ${name}`}</Link>;
  }
  const noun = resourceNouns[resource] ?? resource;
  const where = project === undefined ? '' : ` in project ${project}`;
  // A permission without an object name applies to new objects, or to all objects of the kind.
  return name === undefined ? (
    <span>{`Any ${noun}${where}`}</span>
  ) : (
    <span>{`${capitalize(noun)} ${name}${where}`}</span>
  );
}

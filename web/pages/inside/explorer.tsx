import { Grid } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { discoveryQuery } from '../../data/discovery.ts';
import { ownRulesQuery, rulesAllow } from '../../data/rules-review.ts';
import { useExplorer } from './explorer-context.ts';
import { findKind, parseObjectId } from './explorer-ids.ts';
import { KindNavigation } from './kind-navigation.tsx';
import { KindObjectList } from './kind-object-list.tsx';
import { firstKind, kindSections } from './kind-sections.ts';
import { NamespaceSelect } from './namespace-select.tsx';
import { ObjectView } from './object-view.tsx';
import { crdKind, RefreshDiscovery } from './refresh-discovery.ts';

/** The explorer: a navigation with the kinds of a virtual cluster, and the open list or object. */
export function Explorer() {
  const { root, name, isAwake } = useExplorer();
  const {
    kind: kindName,
    namespace,
    name: objectName,
  } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const served = useQuery({ ...discoveryQuery(root), enabled: isAwake });
  const everywhere = useQuery({ ...ownRulesQuery(root, undefined), enabled: isAwake });
  // Keeps the rules of the previous namespace until the new rules are loaded, so forms stay mounted with their input.
  const own = useQuery({ ...ownRulesQuery(root, namespace), enabled: isAwake, placeholderData: keepPreviousData });
  const sections = useMemo(() => {
    const [all, here] = [everywhere.data, own.data];
    if (served.data === undefined || all === undefined || here === undefined) return [];
    // Permissions in a namespace do not apply to cluster-scoped kinds. For those kinds, permissions in all namespaces
    // are required.
    return kindSections(served.data.filter((kind) => rulesAllow(kind.namespaced ? here : all, 'list', kind)));
  }, [served.data, everywhere.data, own.data]);

  const queries = [served, everywhere, own];
  const failed = queries.find(({ error, data }) => error !== null && data === undefined);
  if (failed !== undefined) {
    const retry = () => queries.forEach((query) => void query.refetch());
    return <ErrorNotice error={failed.error} onRetry={retry} />;
  }
  if (served.data === undefined || everywhere.data === undefined || own.data === undefined) {
    return <LoadingIndicator message={`Loading kinds of ${name}`} />;
  }
  const shown = sections.flatMap(({ kinds }) => kinds);
  const definitions = crdKind(shown);
  const namespaces = shown.find(({ group, plural }) => group === '' && plural === 'namespaces');
  const { data: all } = everywhere;
  const canListAll = served.data.some((kind) => kind.namespaced && rulesAllow(all, 'list', kind));
  // Shows a kind that the URL names, even if the caller may not list it. The server's error then explains the reason.
  const kind = kindName === undefined ? firstKind(sections) : findKind(served.data, kindName);
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 3 }}>
        <NamespaceSelect namespaces={namespaces} canListAll={canListAll} />
        {definitions === undefined ? null : <RefreshDiscovery definitions={definitions} />}
        <KindNavigation sections={sections} chosen={kind} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 9 }}>
        {kind === undefined ? (
          <div className="card">
            {kindName === undefined ? (
              <EmptyState
                title="No kinds to list"
                text={
                  namespace === undefined
                    ? 'You do not have permission to list objects in all namespaces. Enter a namespace that you can access.'
                    : `You have no permissions in namespace ${namespace}. Choose another namespace.`
                }
              />
            ) : (
              <EmptyState title="Kind not found" text={`${name} does not serve the kind ${kindName}.`} />
            )}
          </div>
        ) : objectName === undefined ? (
          <KindObjectList key={`${kind.group}/${kind.plural}`} kind={kind} served={served.data} />
        ) : (
          <ObjectView key={objectName} kind={kind} place={parseObjectId(objectName)} />
        )}
      </Grid.Col>
    </Grid>
  );
}

import { Grid, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { discoveryQuery } from '../../data/discovery.ts';
import { ownRulesQuery, rulesAllow } from '../../data/rules-review.ts';
import { definitionsKind, FollowKinds } from './follow-kinds.ts';
import { useInside } from './inside-context.ts';
import { findKind, placeOfId } from './inside-place.ts';
import { KindNavigation } from './kind-navigation.tsx';
import { KindRows } from './kind-rows.tsx';
import { firstKind, kindSections } from './kind-sections.ts';
import { NamespaceChoice } from './namespace-choice.tsx';
import { ObjectView } from './object-view.tsx';

/** The kinds of a virtual cluster beside what is open: the objects of one, or one object. */
export function Browser() {
  const { root, name, isAwake } = useInside();
  const {
    kind: kindName,
    namespace,
    name: objectName,
  } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const served = useQuery({ ...discoveryQuery(root), enabled: isAwake });
  const everywhere = useQuery({ ...ownRulesQuery(root, undefined), enabled: isAwake });
  // Until those of another namespace are known, those before stand: what is typed stays where it is.
  const own = useQuery({ ...ownRulesQuery(root, namespace), enabled: isAwake, placeholderData: keepPreviousData });
  const sections = useMemo(() => {
    const [all, here] = [everywhere.data, own.data];
    if (served.data === undefined || all === undefined || here === undefined) return [];
    // Rights in a namespace are none on what is in no namespace, whatever the rules there name.
    return kindSections(served.data.filter((kind) => rulesAllow(kind.namespaced ? here : all, 'list', kind)));
  }, [served.data, everywhere.data, own.data]);

  const questions = [served, everywhere, own];
  const failed = questions.find(({ error, data }) => error !== null && data === undefined);
  if (failed !== undefined) {
    const retry = () => questions.forEach((question) => void question.refetch());
    return <ErrorNotice error={failed.error} onRetry={retry} />;
  }
  if (served.data === undefined || everywhere.data === undefined || own.data === undefined) {
    return <Waiting words={`Asking ${name} what it has`} />;
  }
  const shown = sections.flatMap(({ kinds }) => kinds);
  const definitions = definitionsKind(shown);
  const namespaces = shown.find(({ group, plural }) => group === '' && plural === 'namespaces');
  const { data: all } = everywhere;
  const canListAll = served.data.some((kind) => kind.namespaced && rulesAllow(all, 'list', kind));
  // One that is named in the address is shown even where it is not offered: the server says why not.
  const kind = kindName === undefined ? firstKind(sections) : findKind(served.data, kindName);
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 3 }}>
        <NamespaceChoice namespaces={namespaces} canListAll={canListAll} />
        {definitions === undefined ? null : <FollowKinds definitions={definitions} />}
        <KindNavigation sections={sections} chosen={kind} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 9 }}>
        {kind === undefined ? (
          <div className="card">
            {kindName === undefined ? (
              <EmptyState
                title="Nothing that you may list here"
                text={
                  namespace === undefined
                    ? 'You may not look across all namespaces. Type the name of one that you have rights in.'
                    : `You have no rights in the namespace ${namespace}. Choose another one.`
                }
              />
            ) : (
              <EmptyState title="It has no such kind" text={<Text c="dimmed">{kindName}</Text>} />
            )}
          </div>
        ) : objectName === undefined ? (
          <KindRows key={`${kind.group}/${kind.plural}`} kind={kind} served={served.data} />
        ) : (
          <ObjectView key={objectName} kind={kind} place={placeOfId(objectName)} />
        )}
      </Grid.Col>
    </Grid>
  );
}

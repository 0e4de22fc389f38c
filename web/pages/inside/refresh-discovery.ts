import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { discoveryQuery, type ServedKind } from '../../data/discovery.ts';
import { useExplorer } from './explorer-context.ts';
import { useExplorerRows } from './use-explorer-rows.ts';

/** Requests discovery again whenever a CRD is added, changed or removed. Renders nothing. */
export function RefreshDiscovery({ definitions }: { readonly definitions: ServedKind }) {
  const { root } = useExplorer();
  const queries = useQueryClient();
  const { rows, state } = useExplorerRows({ kind: definitions });
  const known = useRef<string>(undefined);
  const versions = useMemo(() => rows.map(({ metadata }) => metadata.resourceVersion).join(), [rows]);
  useEffect(() => {
    if (state !== 'live') return;
    if (known.current !== undefined && known.current !== versions) {
      void queries.invalidateQueries({ queryKey: discoveryQuery(root).queryKey });
    }
    known.current = versions;
  }, [state, versions, queries, root]);
  return null;
}

/** Returns the kind CustomResourceDefinition if the explorer shows it, otherwise `undefined`. */
export function crdKind(shown: readonly ServedKind[]): ServedKind | undefined {
  return shown.find(({ group, plural }) => group === 'apiextensions.k8s.io' && plural === 'customresourcedefinitions');
}

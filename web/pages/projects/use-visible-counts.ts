import { useCallback, useMemo } from 'react';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { countByProject } from '../../data/rows/fleet-counts.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';

/**
 * The maximum number of projects for which permissions are checked one by one. Beyond this number, a project without
 * visible objects shows no number.
 */
const maxChecked = 50;

/**
 * Returns a function that counts the visible objects of a kind in a project. If the count is 0 but the caller may not
 * see all objects, the function returns `undefined`.
 */
export function useVisibleCounts(
  kind: KindRef,
  projects: readonly Row<Project>[],
  objects: RowsSnapshot,
): (project: Row<Project>) => number | undefined {
  const counts = useMemo(
    () => new Map(countByProject(objects).map(({ text, count }) => [text, count] as const)),
    [objects],
  );
  const seesAll = useSeesAll(kind);
  const empty = projects.map(({ metadata }) => metadata.name ?? '').filter((name) => !counts.has(name));
  const checked = seesAll ? [] : empty.slice(0, maxChecked);
  const permissions = usePermissions(checked.map((name) => ({ verb: 'get', kind, namespace: projectNamespace(name) })));
  const readable = checked.filter((_, index) => permissions[index]?.allowed === true).join('/');
  return useCallback(
    ({ metadata: { name = '' } }) =>
      counts.get(name) ?? (seesAll || readable.split('/').includes(name) ? 0 : undefined),
    [counts, seesAll, readable],
  );
}

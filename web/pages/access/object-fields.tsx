import { NativeSelect, SimpleGrid } from '@mantine/core';
import { NameSelect } from '../../components/form/name-select.tsx';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { projectColumn } from '../../data/rows/list-columns.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { type ObjectKindId, objectKinds } from './access-search.ts';
import type { AccessFieldsProps } from './subject-fields.tsx';

const kindRefs: Readonly<Record<ObjectKindId, KindRef>> = {
  'virtual-cluster': kinds.instance,
  space: kinds.space,
  project: kinds.project,
  cluster: kinds.cluster,
  template: kinds.template,
  'space-template': kinds.spaceTemplate,
};

/** The fields that select an object. */
export function ObjectFields({ search, onChange }: AccessFieldsProps) {
  const { object = '' } = search;
  const chosen = objectKinds.find(({ id }) => object.startsWith(`${id}/`)) ?? objectKinds[0];
  const name = object.startsWith(`${chosen.id}/`) ? object.slice(chosen.id.length + 1) : '';
  const kind = kindRefs[chosen.id];
  const rows = useRows({ kind });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <NativeSelect
        label="Kind of object"
        value={chosen.id}
        // Keeps the slash at the end if no name is chosen, so the URL contains the chosen kind.
        onChange={(event) => onChange({ ...search, object: `${event.currentTarget.value}/` })}
        data={objectKinds.map(({ id, label }) => ({ value: id, label }))}
      />
      <NameSelect
        key={chosen.id}
        label="Object"
        rows={rows}
        // The names of instances are unique only within their project.
        {...(kind.namespaced ? { nameOf: (row) => `${projectColumn.text(row)}/${row.metadata.name ?? ''}` } : {})}
        value={name === '' ? undefined : name}
        onChange={(next) => onChange({ ...search, object: `${chosen.id}/${next ?? ''}` })}
      />
    </SimpleGrid>
  );
}

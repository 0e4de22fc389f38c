import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { ServedKind } from '../../data/discovery.ts';
import { useExplorerRows } from './use-explorer-rows.ts';

export interface NamespaceSelectProps {
  /** The kind Namespace; `undefined` if the caller may not list namespaces. */
  readonly namespaces: ServedKind | undefined;
  /** True if there is a kind that the caller may list across all namespaces. */
  readonly canListAll: boolean;
}

/** A field for the namespace: a list, or a text field if the caller may not list namespaces. */
export function NamespaceSelect({ namespaces, canListAll }: NamespaceSelectProps) {
  if (namespaces === undefined) return <TypedNamespace />;
  return <ListedNamespaces kind={namespaces} canListAll={canListAll} />;
}

function useChosen() {
  const { namespace, kind } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const navigate = useNavigate();
  const choose = (next: string) =>
    void navigate({
      to: '.',
      search: { ...(kind === undefined ? {} : { kind }), ...(next === '' ? {} : { namespace: next }) },
    });
  return { namespace: namespace ?? '', choose };
}

function ListedNamespaces({ kind, canListAll }: { readonly kind: ServedKind; readonly canListAll: boolean }) {
  const { namespace, choose } = useChosen();
  const rows = useExplorerRows({ kind });
  if (rows.state === 'refused' && rows.rows.length === 0) return <TypedNamespace />;
  const names = rows.rows.map(({ metadata }) => metadata.name ?? '');
  return (
    <NativeSelect
      label="Namespace"
      mb="md"
      value={namespace}
      onChange={(event) => choose(event.currentTarget.value)}
      data={[
        ...(canListAll || namespace === '' ? [{ value: '', label: 'All namespaces' }] : []),
        ...(namespace === '' || names.includes(namespace) ? [] : [namespace]),
        ...names,
      ]}
    />
  );
}

function TypedNamespace() {
  const { namespace, choose } = useChosen();
  const [typed, setTyped] = useState(namespace);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose(typed.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Namespace"
        description="You do not have permission to list namespaces. Type a name and press Enter."
        mb="md"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  );
}
